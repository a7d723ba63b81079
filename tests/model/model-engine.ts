import path from "node:path";
import type { Engine } from "../../src/engine/engine.ts";
import type { Journal } from "../../src/engine/ports/journal.ts";
import { steadyClock } from "../../src/engine/steady-clock.ts";
import { backendFacts } from "../support/backend-facts.ts";
import { NO_MANUAL_SESSIONS } from "../support/engine/no-manual-sessions.ts";
import { NO_ORPHANS } from "../support/engine/no-orphans.ts";
import { numberedIds } from "../support/ids.ts";
import { client } from "./client.ts";
import type { Lifetime } from "./lifetime.ts";
import { modelWorkflows } from "./model-workflows.ts";

/** All ports of the engine, slow and inspected. */
export function modelEngine(life: Lifetime): Engine {
  const { all, clock, disk } = life;
  const { faultPlan, oracle, schedule, events } = all;
  return {
    workflows: modelWorkflows(all),
    executor: client(life),
    store: {
      save: (run, expected) => {
        if (life.dead) return new Promise(() => undefined);
        oracle.hold(!disk.writing, () => "two saves at once");
        const starts = run.processes > (disk.run?.processes ?? 0);
        oracle.hold(!starts || !life.interrupted, () => "a step was started after the interrupt");
        return disk.save(run, expected);
      },
    },
    journal: journalOf(all.journal),
    observer: {
      notify: (event, run, seq) => {
        if (life.dead) return;
        // A number that was saved but not emitted is lost in a crash.
        const due = seq === all.lastSeq + 1 || (event.type === "run.resumed" && seq > all.lastSeq);
        oracle.hold(
          due,
          () => `${event.type} is number ${String(seq)}, after ${String(all.lastSeq)}`,
        );
        all.lastSeq = seq;
        events.set(event.type, (events.get(event.type) ?? 0) + 1);
        const known = event.type === "run.warning" || run === disk.run;
        oracle.hold(known, () => `${event.type} was emitted but not saved`);
      },
    },
    answers: all.people.answers(schedule, () => disk.run, oracle),
    manualSessions: NO_MANUAL_SESSIONS,
    lastEventSeq: () => Promise.resolve(all.lastSeq),
    clock: steadyClock(clock),
    ids: numberedIds("s", () => {
      all.sessions += 1;
      return all.sessions;
    }),
    folders: {
      find: (base, name) => Promise.resolve(path.posix.resolve(base, name)),
      withTarget: (place) => [place],
    },
    orphans: {
      ...NO_ORPHANS,
      end: async () => {
        await schedule.turn("sweep");
        return { ended: [], remaining: [] };
      },
      endStep: async () => {
        await schedule.turn("sweep of a step");
        return { ended: [], remaining: [] };
      },
    },
    backends: { default: backendOf(faultPlan.backend), of: backendOf },
    platform: "unix",
    recorder: () => SILENT,
    random: () => (schedule.chance() % 100) / 100,
    lostSession: faultPlan.lostSession,
  };
}

const backendOf = (name: string) => ({
  ...backendFacts({}, name),
  recover: () => Promise.resolve(null),
});

/** Adds to these lines, as the file of a journal would have them. */
export function journalOf(lines: string[]): Journal {
  return { append: (record) => void lines.push(`${JSON.stringify(record)}\n`) };
}

const SILENT = {
  prompt: () => undefined,
  line: () => undefined,
  stdout: () => undefined,
  stderr: () => undefined,
  meta: () => undefined,
};
