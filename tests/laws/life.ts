import type { EventType } from "../../src/core/machine/event.ts";
import { newRun } from "../../src/core/machine/new-run.ts";
import type { RunState } from "../../src/core/machine/run-state.ts";
import type { Control } from "../../src/engine/engine.ts";
import { resumeRun } from "../../src/engine/resume.ts";
import { runLoop } from "../../src/engine/run-loop.ts";
import { settings } from "../support/runs.ts";
import type { Conversations } from "./conversations.ts";
import { Disk } from "./disk.ts";
import { unexplained } from "./explanation.ts";
import { inspectSave, reread } from "./invariants.ts";
import { lawEngine } from "./law-engine.ts";
import { beginning, LAUNCH, type Program } from "./program.ts";
import { LawClock, type Schedule } from "./schedule.ts";
import type { Truth } from "./truth.ts";
import { PATIENT, type Trouble, type Turmoil } from "./turmoil.ts";

const MOST_TICKS = 20_000;

/** What there is beside raymond, and after it. */
export interface Outliving {
  readonly program: Program;
  readonly turmoil: Turmoil;
  readonly truth: Truth;
  readonly conversations: Conversations;
  readonly schedule: Schedule;
  /** Those that are still to come. */
  readonly troubles: Trouble[];
  readonly events: Map<EventType, number>;
  readonly lives: readonly string[];
  saved: RunState | null;
  now: number;
  ticks: number;
  sessions: number;
}

/** One raymond, from its start or resume to its end: how it ended. */
export async function outlive(all: Outliving): Promise<string> {
  const { truth, schedule, turmoil, lives } = all;
  const found = all.saved;
  const clock = new LawClock(all.now);
  const signals = { interrupt: new AbortController(), kill: new AbortController() };
  const hurried = new Set<() => void>();
  const running = new Set<number>();
  const idleSince = new Map<string, number>();
  let number = 0;
  const disk = new Disk(schedule, found, (before, after) => {
    const recovered = found !== null && number === 0;
    if (recovered) truth.lose(before);
    else truth.record(before, after);
    all.saved = after;
    number += 1;
    const save = { before, after, recovered, now: clock.now(), idleSince, number };
    inspectSave(save, truth, all.conversations);
  });
  const engine = lawEngine({ ...all, all, clock, disk, running, interrupt: signals.interrupt.signal });
  const control: Control = {
    interrupt: signals.interrupt.signal,
    kill: signals.kill.signal,
    onHurry: (listener) => void hurried.add(listener),
  };
  const given = turmoil.rounds[lives.length] ?? PATIENT;
  const end = found === null ? null : resumeRun(reread(found), given, engine, control);
}
