import { parseDurationFlag } from "../../config/flags.ts";
import { RaymondError } from "../../core/errors.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import { resumeAdvice } from "../../observers/summary.ts";
import type { RunLock, Store } from "../../ports/store.ts";
import { isFreeWithin, signalHolder } from "../../runs/wire/signal-holder.ts";
import { nameRun } from "../../runs/wire/stores.ts";
import { UnknownRunError } from "../../stores/errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { processLine } from "../process-line.ts";
import type { Shell } from "../shell.ts";
import { effectiveStatus } from "./status.ts";

interface StopOptions {
  readonly timeout?: string;
  readonly stateDir?: string;
}

/** How a run came to have no holder. */
type Ending = "nobody-held-it" | "ended" | "killed";

/**
 * `raymond stop`: ends a run from another terminal. Returns 0 only when no
 * process that carries the run's token, or descends from one that does, is
 * alive; 1 names those that are. Rejects where the holder is out of reach, or
 * where somebody goes on with the run meanwhile.
 */
export async function stopCommand(
  wanted: string,
  options: StopOptions,
  shell: Shell,
): Promise<ExitCode> {
  const timeoutMs =
    options.timeout === undefined ? TIMEOUT_MS : parseDurationFlag("--timeout", options.timeout);
  const { id, store, program } = await nameRun({ run: wanted, ...options }, shell);
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(wanted);
  const { endLeftovers } = await shell.system();
  const { groups } = await store.artifacts(id);
  const ending = await endHolder(store, id, timeoutMs, shell);

  const lock = await claim(store, id);
  try {
    const { ended, left } = await endLeftovers(run.token, groups);
    const stopped = (await store.load(id)) ?? run;
    shell.out.line(`${id} ${WORDS[ending]}: ${effectiveStatus(stopped, null)}.`);
    if (ended.length > 0) {
      shell.out.line("It had left behind, now ended:");
      for (const found of ended) shell.out.line(`  ${processLine(found)}`);
    }
    const advice = resumeAdvice(stopped, program);
    if (advice !== null) shell.out.line(`Go on with: ${advice}`);
    if (left.length === 0) return EXIT.completed;
    shell.err.line(shell.style.error("still alive:"));
    for (const found of left) shell.err.line(`  ${processLine(found)}`);
    return EXIT.failed;
  } finally {
    await lock?.release();
  }
}

/** Until a second signal is sent, ms: an ordinary stop takes up to five seconds. */
const TIMEOUT_MS = 90_000;
/** What the second signal takes: it kills, and the state is saved. */
const SECOND_MS = 8_000;
const KILLED_MS = 10_000;

const WORDS: { readonly [Each in Ending]: string } = {
  "nobody-held-it": "does not run",
  ended: "has stopped",
  killed: "was killed",
};

async function endHolder(
  store: Store,
  id: RunId,
  timeoutMs: number,
  shell: Shell,
): Promise<Ending> {
  const holder = await store.holder(id);
  if (holder === null) return "nobody-held-it";
  const rungs = [
    ["SIGTERM", timeoutMs, "stops; steps in flight are interrupted"],
    ["SIGTERM", SECOND_MS, "takes too long; steps in flight are killed"],
    ["SIGKILL", KILLED_MS, "does not react, and is killed"],
  ] as const;
  for (const [signal, ms, words] of rungs) {
    if (!(await signalHolder(store, id, signal, holder))) return "ended";
    shell.err.line(`The process ${String(holder.pid)} ${words} (${signal}) …`);
    if (await isFreeWithin(store, id, holder, ms)) {
      return signal === "SIGKILL" ? "killed" : "ended";
    }
  }
  return "killed";
}

/** Null where the disk refuses the lock: it then refuses it to all others, too. */
async function claim(store: Store, id: RunId): Promise<RunLock | null> {
  try {
    return await store.lock(id);
  } catch (error) {
    if (error instanceof RaymondError && error.code === "store/disk") return null;
    throw error;
  }
}
