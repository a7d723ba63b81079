import type { EventType } from "../../src/machine/model/event.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { readJournal, replayJournal } from "../../src/machine/record/journal.ts";
import { printRun } from "../../src/storage/codec/print-run.ts";
import { NOON } from "../support/run-driver.ts";
import { Conversations } from "./conversations.ts";
import type { FaultPlan } from "./fault-plan.ts";
import { Lifetime, type Outliving } from "./lifetime.ts";
import { Oracle } from "./oracle.ts";
import { People } from "./people.ts";
import type { Program } from "./program.ts";
import { Schedule } from "./schedule.ts";

/** Once a run has been picked up so often without need, it never ends. */
const NEEDLESS_LIVES = 60;

/** What became of a run. */
export interface Verdict {
  readonly run: RunState;
  readonly oracle: Oracle;
  /** How each life of raymond ended: by a status, an error or a crash. */
  readonly lives: readonly string[];
  readonly ticks: number;
  /** Number of events by type. */
  readonly events: ReadonlyMap<EventType, number>;
  /** The journal of all lives. */
  readonly journal: readonly string[];
}

/**
 * A run from its start to its completion, however often raymond dies or stops
 * on the way. Rejects where a law does not hold, and says which.
 */
export async function runTrial(program: Program, faultPlan: FaultPlan): Promise<Verdict> {
  const oracle = new Oracle(program);
  const conversations = new Conversations();
  const lives: string[] = [];
  const outliving: Outliving = {
    ...{ program, faultPlan, oracle, conversations, lives: 0 },
    people: new People(faultPlan.replies),
    schedule: new Schedule(faultPlan.choices),
    mishaps: faultPlan.mishaps.toSorted((a, b) => a.tick - b.tick),
    events: new Map(),
    lastSeq: 0,
    journal: [],
    ...{ saved: null, now: NOON, ticks: 0, sessions: 0 },
  };
  while (lives.at(-1) !== "completed") {
    // Each life may end at max_visits, but not before it has made a step.
    const most = NEEDLESS_LIVES + [...oracle.past.values()].flat().length;
    if (lives.length >= most) throw new Error(`it never completes: ${lives.join()}`);
    lives.push(await new Lifetime(outliving).live());
    outliving.lives = lives.length;
    journalReachesLastSave(outliving);
    answersMeanwhile(outliving);
  }
  const { saved: run, ticks, events, journal } = outliving;
  if (run === null) throw new Error("nothing was saved");
  return { run, oracle, lives, ticks, events, journal };
}

/** Nothing runs, and time may pass. */
function answersMeanwhile(outliving: Outliving): void {
  const { saved, now, ticks, people, oracle } = outliving;
  if (saved === null) return;
  outliving.now = people.between(saved, now, ticks, oracle);
}

/** After any crash, the journal leads to the state that was saved last. */
function journalReachesLastSave({ saved, journal, oracle }: Outliving): void {
  if (saved === null) return;
  const folded = replayJournal(readJournal(journal.join("")), saved.saves);
  const same = folded.ok && printRun(folded.run).text === printRun(saved).text;
  oracle.hold(same, () => (folded.ok ? "the journal leads to another state" : folded.problem));
  if (oracle.broken !== null) throw new Error(oracle.broken);
}
