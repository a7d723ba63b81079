import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { ControlRequest } from "../engine/ports/control-request.ts";
import type { LockHolder } from "../engine/ports/store.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { eventLog, lastSeq } from "../log/event-log.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { processHost } from "../process/platform/host.ts";
import { answerFiles } from "../storage/answer-files.ts";
import { nodeDisk } from "../storage/disk.ts";
import { type FileStoreOptions, fileStore } from "../storage/file.ts";
import { journalFile, journalText } from "../storage/journal-file.ts";
import { writeRequest } from "../storage/request-files.ts";
import { CONTROL_SIGNAL } from "./control-signal.ts";
import { runSize } from "./engine/run-size.ts";
import { wireErrors } from "./errors.ts";
import { placeOf, type RunPlace, relocateRun } from "./run-place.ts";
import { LOCAL, NO_QUEUE, type RunSource } from "./run-source.ts";

export function folderRuns(root: string, options: FileStoreOptions = {}): RunSource {
  const { disk = nodeDisk() } = options;
  const store = fileStore(root, options);
  const places = new Map<RunId, RunPlace>();
  return {
    ...store,
    load: async (id) => {
      const run = await store.load(id);
      if (run === undefined) return run;
      const place = await placeOf(run, root, disk);
      // A moved run that was loaded again after a save is still one that was moved.
      if (place.kind !== "here") places.set(id, place);
      return place.kind === "moved" ? relocateRun(run, place.from, root) : run;
    },
    place: (id) => places.get(id) ?? { kind: "here" },
    ...LOCAL,
    inProject: true,
    openJournal: async (id, warn) => journalFile((await store.artifacts(id)).journal, warn),
    journalText: async (id) => journalText((await store.artifacts(id)).journal),
    answers: async (id, warn) => answerFiles(disk, (await store.artifacts(id)).answers, warn),
    eventWriter: async (id, clock, warn) => {
      return eventLog((await store.artifacts(id)).events, clock, warn);
    },
    lastEvent: async (id) => lastSeq((await store.artifacts(id)).events),
    sendRequest: async (id, holder, request) => {
      const signal = signalOf(request);
      if (signal !== CONTROL_SIGNAL && request.actor === undefined) {
        return (await sendSignal(id, holder, signal)) ? () => Promise.resolve(true) : null;
      }
      const withdraw = await writeRequest((await store.artifacts(id)).requests, holder, request);
      const sent = await sendSignal(id, holder, signal).catch(async (error: unknown) => {
        await withdraw();
        throw error;
      });
      if (sent) return withdraw;
      await withdraw();
      return null;
    },
    sizes: async (ids) => {
      return new Map(
        await Promise.all(ids.map(async (id) => [id, await runSize(disk, root, id)] as const)),
      );
    },
    epoch: () => null,
    audit: async (id, action, actor) => {
      // All other commands have events.
      if (action === "prune") await recordPrune(root, id, actor);
    },
    queue: NO_QUEUE,
    lostAdvice: null,
  };
}

/** Events of a deleted run are gone, so its deletion is recorded next to the runs. */
async function recordPrune(root: string, run: RunId, actor: Actor): Promise<void> {
  const { sudoUser: sudo_user, ...who } = actor;
  const at = new Date().toISOString();
  const entry = { at, action: "prune", run, actor: { ...who, sudo_user } };
  try {
    const file = await open(path.join(root, "audit.jsonl"), APPEND, 0o600);
    try {
      await file.appendFile(`${JSON.stringify(entry)}\n`);
    } finally {
      await file.close();
    }
  } catch (error) {
    // Pruning is how a full disk gets space.
    if (!isFull(error)) throw error;
  }
}

function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "");
}

/** Does not follow a link that the authors of the project have placed. Windows lacks the flag. */
const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0);

function signalOf(request: ControlRequest): NodeJS.Signals {
  if (!("stop" in request) || request.stop === "after-steps") return CONTROL_SIGNAL;
  return request.stop === "kill" ? "SIGKILL" : "SIGTERM";
}

/** The holder is identified by more than its pid: a process that reuses the pid is never signalled. */
async function sendSignal(id: RunId, holder: LockHolder, signal: NodeJS.Signals): Promise<boolean> {
  const sent = await processHost().signal(holder, signal);
  if (sent === "not-permitted" || sent === "only-pid") {
    throw wireErrors["run/out-of-reach"](id, holder, sent);
  }
  return sent === "sent";
}
