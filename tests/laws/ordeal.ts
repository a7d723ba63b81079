import path from "node:path";
import type { EventType } from "../../src/core/machine/event.ts";
import { newRun } from "../../src/core/machine/new-run.ts";
import type { RunSettings, RunState } from "../../src/core/machine/run-state.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { resumeRun } from "../../src/engine/resume.ts";
import { startRun } from "../../src/engine/start.ts";
import { NOON } from "../support/driving.ts";
import { settings } from "../support/runs.ts";
import { client, Conversations } from "./client.ts";
import { unexplained } from "./explanation.ts";
import { inspectSave, reread } from "./invariants.ts";
import { beginning, LAUNCH, type Program } from "./program.ts";
import { LawClock, Schedule } from "./schedule.ts";
import { Truth } from "./truth.ts";
import { PATIENT, type Turmoil } from "./turmoil.ts";

/** Once a run has been picked up so often without need, it never ends. */
const NEEDLESS_LIVES = 60;
const MOST_TICKS = 20_000;

/** What became of a run. */
export interface Verdict {
  readonly run: RunState;
  readonly truth: Truth;
  /** How each life of raymond ended: by a status, an error or a crash. */
  readonly lives: readonly string[];
  readonly ticks: number;
  /** How often each was told. */
  readonly events: ReadonlyMap<EventType, number>;
}

/**
 * A run from its start to its completion, however often raymond dies or stops
 * on the way. Throws where a law does not hold.
 */
export async function ordeal(program: Program, turmoil: Turmoil): Promise<Verdict> {
  const truth = new Truth(program);
  const conversations = new Conversations();
  const schedule = new Schedule(turmoil.choices);
  const troubles = turmoil.troubles.toSorted((a, b) => a.tick - b.tick);
  const lives: string[] = [];
  const events = new Map<EventType, number>();
  const { state, pending, attributes } = beginning(program);
  let ticks = 0;
  let sessions = 0;
  let clock = new LawClock(NOON);
  let disk: RunState | null = null;

  const live = async (): Promise<string> => {
    clock = new LawClock(clock.now());
    const given = { ...(turmoil.rounds[lives.length] ?? PATIENT) };
    const interrupt = new AbortController();
    const kill = new AbortController();
    const hurried = new Set<() => void>();
    const running = new Set<number>();
    const found = disk;
    const idleSince = new Map<string, number>();
    let number = 0;
    let recovered = found !== null;
    let breaking = false;
    let writing: RunState | null = null;
    let failing: "before" | "after" | null = null;
    let ending: string | null = null;
    let result: RunState | null = null;

    const write = (after: RunState): void => {
      writing = null;
      const before = disk ?? after;
      if (recovered) truth.lose(before);
      else truth.record(before, after);
      disk = after;
      number += 1;
      const save = { before, after, recovered, now: clock.now(), idleSince, number };
      inspectSave(save, truth, conversations);
      recovered = false;
    };

    const engine: Engine = {
      scope: {
        dir: "/repo/workflow",
        names: () => Promise.resolve(program.states.map(({ name }) => name)),
        read: async (name) => {
          await schedule.turn(`read ${name}`);
          const text = program.states.find((each) => each.name === name)?.text ?? "";
          return text.replace("budget: 0.05", `budget: ${String(0.05 * 10 ** lives.length)}`);
        },
        path: (name) => `/repo/workflow/${name}`,
      },
      executor: client({
        ...{ truth, schedule, conversations, running },
        ...{ fates: turmoil.fates, lostSession: turmoil.lostSession },
        saved: () => disk ?? failed("nothing is saved"),
        mayEnd: () => interrupt.signal.aborted || breaking,
        breaks: () => {
          breaking = true;
        },
      }),
      store: {
        save: async (run) => {
          truth.hold(writing === null, () => "two saves at once");
          const began = run.processes > (disk?.processes ?? 0);
          const late = interrupt.signal.aborted && began;
          truth.hold(!late, () => "a step was started after the interrupt");
          writing = run;
          await schedule.turn("save");
          const fails = failing;
          failing = null;
          if (fails !== "before") write(run);
          writing = null;
          breaking ||= fails !== null;
          if (fails !== null) throw new Error("the disk is full");
        },
      },
      observer: {
        notify: (event, run) => {
          if (event.type === "run.warning") return;
          truth.hold(run === disk, () => `${event.type} was told and is not saved`);
          events.set(event.type, (events.get(event.type) ?? 0) + 1);
        },
      },
      clock,
      ids: {
        session: () => {
          sessions += 1;
          return `s${String(sessions)}`;
        },
      },
      folders: { find: (base, name) => Promise.resolve(resolved(base, name)) },
      leftovers: {
        end: async () => {
          await schedule.turn("sweep");
          return [];
        },
      },
      platform: "unix",
      recorder: () => SILENT,
      dice: () => (schedule.chance() % 100) / 100,
      lostSession: turmoil.lostSession,
    };
    const control = {
      interrupt: interrupt.signal,
      kill: kill.signal,
      onHurry: (listener: () => void) => void hurried.add(listener),
    };

    const begun =
      found === null
        ? startRun(begin(given), engine, control)
        : resumeRun(reread(found), given, engine, control);
    begun.then(
      (run) => {
        result = run;
        ending = run.status;
      },
      (error: unknown) => {
        ending = error instanceof Error ? error.message : "an error";
      },
    );

    for (;;) {
      await new Promise(setImmediate);
      if (truth.broken !== null) failed(truth.broken);
      if (ending !== null) break;
      ticks += 1;
      if (ticks > MOST_TICKS) failed("it never ends");
      while ((troubles[0]?.tick ?? Infinity) <= ticks) {
        switch (troubles.shift()?.what) {
          case "kill":
            if (interrupt.signal.aborted) kill.abort();
            interrupt.abort("SIGTERM");
            break;
          case "interrupt":
            interrupt.abort("SIGINT");
            break;
          case "hurry":
            for (const listener of hurried) listener();
            break;
          case "clock-back":
            clock.setBack(7_200_000);
            break;
          case "save-fails":
            failing = "before";
            break;
          case "save-fails-late":
            failing = "after";
            break;
          case "crash":
            // A save that was asked for may have reached the disk.
            if (writing !== null && schedule.chance() % 2 === 1) write(writing);
            schedule.forget();
            return "crash";
          case undefined:
            break;
        }
      }
      const luck = schedule.chance();
      const together = luck % 4 === 3 ? 3 : 1;
      let stirred = luck % 7 === 6 && clock.advance(luck * 997);
      for (let i = 0; i < together; i += 1) stirred = schedule.next() || stirred;
      stirred ||= clock.advance(luck);
      if (!stirred && !interrupted(interrupt)) failed("it hangs");
    }
    truth.hold(running.size === 0, () => `${ending ?? ""}, and ${String(running.size)} still run`);
    truth.hold(schedule.waiting.length === 0, () => `${schedule.waiting.join()} are left`);
    truth.hold(clock.sleeping === 0, () => "a timer is left");
    if (result !== null) {
      const causes = { given, interrupted: interrupt.signal.aborted };
      const riddle = unexplained(result, truth, causes);
      truth.hold(riddle === null, () => riddle ?? "");
    }
    if (truth.broken !== null) failed(truth.broken);
    return ending;
  };

  const begin = (given: Partial<RunSettings>): Parameters<typeof newRun>[0] => ({
    id: "wf-2026-11-21-k3x9qd",
    workflow: { kind: "folder", path: "/repo/workflow", entry: state },
    ...{ scopeDir: "/repo/workflow", launchDir: LAUNCH, at: NOON, token: "t0" },
    ...{ input: pending, attributes, backend: turmoil.backend },
    settings: settings(given),
  });

  // Each life may end at max_visits, but not before it has made a step.
  const mostLives = NEEDLESS_LIVES + [...truth.past.values()].flat().length;
  while (lives.at(-1) !== "completed") {
    if (lives.length >= mostLives) failed(`it never completes: ${lives.join()}`);
    lives.push(await live());
  }
  return { run: disk ?? failed("nothing is saved"), truth, lives, ticks, events };
}

function failed(why: string): never {
  throw new Error(why);
}

function interrupted({ signal }: AbortController): boolean {
  return signal.aborted;
}

function resolved(base: string, name: string): string | null {
  return name.includes("nowhere") ? null : path.posix.resolve(base, name);
}

const SILENT = {
  prompt: () => undefined,
  line: () => undefined,
  stdout: () => undefined,
  stderr: () => undefined,
  meta: () => undefined,
};
