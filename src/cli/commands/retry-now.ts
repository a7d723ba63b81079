import { setTimeout as delay } from "node:timers/promises";
import { advance } from "../../core/machine/advance.ts";
import type { RunId, RunState } from "../../core/machine/run-state.ts";
import { resumeAdvice } from "../../observers/summary.ts";
import type { LockHolder, Store } from "../../ports/store.ts";
import { NoSignalError } from "../../runs/errors.ts";
import { RETRY_SIGNAL } from "../../runs/retry-signal.ts";
import { signalHolder } from "../../runs/wire/signal-holder.ts";
import { nameRun } from "../../runs/wire/stores.ts";
import { UnknownRunError } from "../../stores/errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/**
 * `raymond retry-now`: a run that waits for a usage limit or an outage tries
 * again now. A process that holds it is told by a signal; of a run that nobody
 * holds the wait is ended in the state file. Returns 1 when the process does
 * not react.
 */
export async function retryNowCommand(
  wanted: string,
  options: { readonly stateDir?: string },
  shell: Shell,
): Promise<ExitCode> {
  const { id, store, program } = await nameRun({ run: wanted, ...options }, shell);
  const run = await load(store, id);
  if (!isWaiting(run, shell.now())) {
    shell.err.line(`${id} does not wait for anything: there is nothing to hurry.`);
    return EXIT.completed;
  }
  const holder = await store.holder(id);
  if (holder !== null) return hurryHolder(store, run, holder, shell);
  await endWait(store, id, shell);
  const advice = resumeAdvice(run, program) ?? "";
  shell.out.line(`${id} waits no longer. No process runs it; go on with: ${advice}`);
  return EXIT.completed;
}

/** A limit stays in the state until a prompt got through, so only its moment tells whether it is waited for. */
function isWaiting({ status, wait, agents }: RunState, now: number): boolean {
  if (status === "completed") return false;
  return (
    (wait !== null && wait.until > now) ||
    agents.some(({ activity }) => activity.type === "waiting")
  );
}

async function hurryHolder(
  store: Store,
  run: RunState,
  holder: LockHolder,
  shell: Shell,
): Promise<ExitCode> {
  const { id } = run;
  if (process.platform === "win32") throw new NoSignalError(id);
  const heard =
    (await signalHolder(store, id, RETRY_SIGNAL, holder)) && (await hasReacted(store, run));
  if (heard) shell.out.line(`${id} tries again now.`);
  else {
    shell.err.line(
      `The process ${String(holder.pid)}, which holds ${id}, has not reacted. raymond status ${id} shows where it stands.`,
    );
  }
  return heard ? EXIT.completed : EXIT.failed;
}

/** Whether the moments that the run waits for change within some seconds: they are saved before anything starts. */
async function hasReacted(store: Store, before: RunState): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < REACTION_MS; ) {
    if (moments(await load(store, before.id)) !== moments(before)) return true;
    await delay(POLL_MS);
  }
  return false;
}

const REACTION_MS = 5_000;
const POLL_MS = 50;

function moments({ wait, agents }: RunState): string {
  const waiting = agents.map(({ id, activity }) => [
    id,
    activity.type === "waiting" ? activity.until : null,
  ]);
  return JSON.stringify([wait?.until, waiting]);
}

async function endWait(store: Store, id: RunId, shell: Shell): Promise<void> {
  const lock = await store.lock(id);
  try {
    const at = shell.now();
    const run = await load(store, id);
    const [hurried] = advance(run, { type: "retry-now", at });
    const saves = run.saves + 1;
    await store.save({ ...hurried, saves, updatedAt: new Date(at).toISOString() }, run.saves);
  } finally {
    await lock.release();
  }
}

async function load(store: Store, id: RunId): Promise<RunState> {
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(id);
  return run;
}
