import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { IncrementalCopies } from "../../../src/clients/common/conversations/incremental-copy.ts";
import type { Clock } from "../../../src/engine/ports/clock.ts";
import type {
  ProcessCall,
  RunningProcess,
  StartProcess,
} from "../../../src/engine/ports/process.ts";
import { parseDocument } from "../../../src/storage/codec/parse-document.ts";
import type { StateDocument } from "../../../src/storage/codec/state-document.ts";
import type { Disk } from "../../../src/storage/disk.ts";
import type { System } from "../../../src/wire/system/system.ts";
import { wholeText } from "../../support/disk/whole-text.ts";
import type { Hit } from "./crash-point.ts";
import { momentsOf } from "./moments.ts";

/** A system with crash points before and after each operation of a run. */
export function withCrashPoints(system: System, hit: Hit): System {
  const saves = new Saves();
  const { processes } = system;
  return {
    ...system,
    disk: crashingDisk(system.disk, saves, hit),
    clock: crashingClock(system.clock, saves, hit),
    processes: { ...processes, start: (call) => crashingStart(processes.start, call, hit) },
    kept: crashingCopies(system.kept, hit),
  };
}

/** The state on disk, and the one that is being saved. */
class Saves {
  #standing: StateDocument | null = null;
  #coming: StateDocument | null = null;
  /** The state of the save in progress. */
  moments: readonly string[] = [];
  renamed = false;

  get waiting(): boolean {
    return this.#standing?.status === "waiting";
  }

  begin(file: string, text: string): void {
    const first = this.#standing === null;
    this.#standing ??= existsSync(file) ? parseDocument(readFileSync(file, "utf8"), file) : null;
    this.#coming = parseDocument(text, file);
    const resumed = first && this.#standing !== null;
    this.moments = resumed ? ["resumed"] : momentsOf(this.#standing, this.#coming);
  }

  rename(): void {
    this.#standing = this.#coming;
    this.renamed = true;
  }
}

const BESIDE = /\/workflows\/\.(\w+\.json)\.[0-9a-f]+\.tmp$/;
const PAYLOAD = /\/payloads\/\.?[0-9a-f]{64}\.txt/;
const STATE = /\/workflows\/\w+\.json$/;
const LOCK = /\/lock\.\d+$/;
const RUN_FOLDER = /\/runs\/\w+$/;

function crashingDisk(disk: Disk, saves: Saves, hit: Hit): Disk {
  const around = async <T>(point: string | null, work: () => Promise<T>): Promise<T> => {
    if (point === null) return work();
    hit(`${point}.before`);
    const done = await work();
    hit(`${point}.after`);
    return done;
  };
  const ofSave = (phase: string) => {
    for (const moment of saves.moments) hit(`save.${moment}.${phase}`);
  };
  return {
    ...disk,
    makeFolder: (folder) =>
      around(RUN_FOLDER.test(folder) ? "folder" : null, () => disk.makeFolder(folder)),
    link: (from, name) => around("lock.claim", () => disk.link(from, name)),
    remove: (file) => around(removal(file), () => disk.remove(file)),
    write: async (file, data) => {
      const name = BESIDE.exec(file)?.[1];
      if (name === undefined) {
        return around(PAYLOAD.test(file) ? "payload" : null, () => disk.write(file, data));
      }
      const text = wholeText(data);
      saves.begin(path.join(path.dirname(file), name), text);
      ofSave("before");
      await disk.write(file, data);
      ofSave("written");
    },
    rename: async (from, to) => {
      if (!STATE.test(to)) {
        return around(LOCK.test(to) ? "lock.release" : null, () => disk.rename(from, to));
      }
      await disk.rename(from, to);
      saves.rename();
      hit("save.renamed");
    },
    syncFolder: async (folder) => {
      await disk.syncFolder(folder);
      if (!saves.renamed || path.basename(folder) !== "workflows") return;
      saves.renamed = false;
      ofSave("saved");
    },
  };
}

function removal(file: string): string | null {
  if (LOCK.test(file)) return "lock.remove-lower";
  return PAYLOAD.test(file) ? "payload.remove" : null;
}

/** Waits of a run: for a usage limit, an outage or a retry. */
function crashingClock(clock: Clock, saves: Saves, hit: Hit): Clock {
  return {
    ...clock,
    sleep: async (ms, signal) => {
      if (!saves.waiting) return clock.sleep(ms, signal);
      hit("wait.before");
      const pass = async (point: string) => {
        await clock.sleep(ms / 2, signal);
        if (!signal.aborted) hit(point);
      };
      await pass("wait.during");
      await pass("wait.after");
    },
  };
}

function crashingStart(start: StartProcess, call: ProcessCall, hit: Hit): RunningProcess {
  const kind = call.reopenable === true ? "script" : "prompt";
  // Calls of the client before a run are not steps.
  if (kind === "prompt" && call.input === null) return start(call);
  const reached = new Set<"output" | "result">();
  const first = (what: "output" | "result") => {
    if (reached.has(what)) return;
    reached.add(what);
    hit(`${kind}.${what}`);
  };
  hit(`${kind}.before`);
  const running = start({
    ...call,
    onStdout: (chunk) => {
      first("output");
      if (chunk.includes('"type":"result"')) first("result");
      call.onStdout(chunk);
    },
  });
  hit(`${kind}.spawned`);
  const done = running.done.then((end) => {
    hit(`${kind}.exit`);
    return end;
  });
  return { ...running, done };
}

function crashingCopies(kept: IncrementalCopies, hit: Hit): IncrementalCopies {
  return {
    keep: async (original, copy, mask) => {
      hit("copy.before");
      await kept.keep(original, copy, mask);
      hit("copy.after");
    },
    putBack: async (copy, original, mask) => {
      const lost = existsSync(copy) && !existsSync(original);
      if (lost) hit("put-back.before");
      const done = await kept.putBack(copy, original, mask);
      if (lost) hit("put-back.after");
      return done;
    },
  };
}
