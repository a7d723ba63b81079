import { errorCode } from "../../../language/basics/error-code.ts";
import { RaymondError } from "../../../language/basics/errors.ts";
import type { RunId, RunState } from "../../../machine/run-state.ts";
import { isLive } from "../../../machine/stop.ts";
import type { Driving } from "../../../run/driving.ts";
import { BrokenOffError } from "../../../wire/errors.ts";
import { clientOf } from "../../accounts/credentials.ts";
import type { ClaimedRun } from "../../lease/claimed-run.ts";
import { parseEnqueueKey } from "../../queue/queues.ts";
import { changePlacement, type PlacementRow, setAside } from "../../store/rows/placed-runs.ts";
import type { AccountName, MachineId } from "../../store/rows/placement.ts";
import type { WorkerContext } from "../worker-context.ts";
import { resumeHere, setRunAside } from "./resume-here.ts";

/** How one going on of a run ended here. */
export type ClaimOutcome =
  | { readonly kind: "over"; readonly status: string }
  /** There is nothing to go on with: it is gone, set aside, or was enqueued anew since. */
  | { readonly kind: "none" }
  /** It was broken off, or somebody has it for a moment: it can be tried again here. */
  | { readonly kind: "again"; readonly why: string }
  /** It is of a newer raymond: another worker is to have it. */
  | { readonly kind: "newer"; readonly why: string }
  /** The client of this machine does not work: another worker is to have it. */
  | {
      readonly kind: "no-client";
      readonly why: string;
      /** It waits in a queue that this worker still polls: it must not be offered again at once. */
      readonly polled: boolean;
    };

/**
 * Takes what DBOS calls by this name, and goes on with it until it ends or stops. What a person has to mend
 * is recorded as the reason that it has failed of. Never rejects: what DBOS is told is over, nobody takes up
 * again.
 */
export async function runClaimed(
  id: RunId,
  name: string,
  driving: Driving,
  host: WorkerContext,
): Promise<ClaimOutcome> {
  const { database, store } = host;
  try {
    const taken = await store.claimQueued(id, parseEnqueueKey(name)?.entry ?? 0);
    if (taken === null) return { kind: "none" };
    const held = { id, holder: host.holder };
    try {
      const { row, run } = taken.read();
      if (run === null) return { kind: "none" };
      const ended = await untilOver(run, row, taken, driving, host).catch(
        async (error: unknown) => {
          if (host.isStopping() || isWorkerFault(error)) {
            await changePlacement(database, id, { claims: row.claims }, host.holder);
          }
          throw error;
        },
      );
      if (!(await taken.close())) return { kind: "over", status: howItEnded(ended) };
      // Where the queue cannot be reached, the reaper puts the run there.
      await host.enqueueMoved(id).catch(() => undefined);
      return { kind: "over", status: "moved to another machine" };
    } catch (error) {
      if (codeOf(error) !== "store/damaged-state") throw error;
      await setAside(database, held, messageOf(error));
      await taken.close();
      return { kind: "over", status: `set aside: ${messageOf(error)}` };
    } finally {
      await taken.release();
    }
  } catch (error) {
    const why = messageOf(error);
    if (error instanceof NoClientError) {
      await host.clients.report(error.account, error.message);
      return { kind: "no-client", why, polled: error.named };
    }
    return NEWER.has(codeOf(error) ?? "") ? { kind: "newer", why } : { kind: "again", why };
  }
}

/** The client of this machine cannot answer the prompts of an account. */
class NoClientError extends Error {
  override readonly name = "NoClientError";
  readonly account: AccountName | null;

  /** The run names a client, so that it is in a queue which this worker polls all the same. */
  readonly named: boolean;

  constructor({ account, withoutClient }: PlacementRow["placement"], message: string) {
    super(message);
    this.account = account;
    this.named = withoutClient === true;
  }
}

function isOfClient(error: unknown): error is RaymondError {
  return error instanceof RaymondError && OF_CLIENT.has(error.code);
}

const OF_CLIENT: ReadonlySet<string> = new Set([
  ...["claude/not-found", "claude/unusable", "claude/not-logged-in"],
]);

function howItEnded({ status, stopReason }: RunState): string {
  return stopReason === null ? status : `${status}: ${stopReason.message}`;
}

async function untilOver(
  run: RunState,
  row: PlacementRow,
  taken: ClaimedRun,
  driving: Driving,
  host: WorkerContext,
): Promise<RunState> {
  // It is released at once, and so requeued.
  if (row.move !== null) return run;
  if (row.setAside !== null) return isLive(run) ? setRunAside(run, row.setAside, host) : run;
  // It has come to this by itself, and whoever had it was gone before that was recorded.
  if (run.status === "completed" || (!isLive(run) && row.claims.steps !== null)) return run;
  const going = resumeHere(run, row, taken, driving, host).finally(() => {
    host.clones.forget(run.id);
  });
  return going.catch(async (error: unknown) => {
    // A client that the run itself names is missing on this machine through no fault of the machine.
    const isItsOwn = run.settings.client !== null && clientOf(host.caller) === null;
    if (isOfClient(error) && (!isItsOwn || error.code === "claude/not-logged-in")) {
      throw new NoClientError(row.placement, error.message);
    }
    // Found before anything of it was begun here: nothing but a person changes that.
    if (error instanceof RaymondError && !isTransient(error))
      return setRunAside(run, inSentences(error, host.machine), host);
    throw error;
  });
}

/** With where it was found, and what to do: nobody is there to whom a command would say it. */
function inSentences({ message, hint }: RaymondError, machine: MachineId): string {
  const where = message.includes(machine) ? "" : ` Found on machine ${machine}.`;
  return `${message}${where}${hint === undefined ? "" : ` ${hint}`}`;
}

const NEWER: ReadonlySet<string> = new Set(["store/newer-state", "fleet/newer-run"]);

/** @public Another process has the run, or the database or a killed program is the reason: a person need not look at it. */
export function isTransient({ code }: RaymondError): boolean {
  return PASSING.has(code) || NEWER.has(code);
}

/** @public Whether it says nothing against a run that this has broken it off: the database, or the disk of this machine, does not keep what it does. */
export function isWorkerFault(error: unknown): boolean {
  return NO_FAULT.has(errorCode(causeOf(error)) ?? "");
}

const DATABASE = ["fleet/away", "fleet/refused"] as const;
const NO_FAULT: ReadonlySet<string> = new Set([...DATABASE, "ENOSPC", "EDQUOT"]);

const PASSING: ReadonlySet<string> = new Set([
  ...["store/run-taken", "store/run-locked"],
  ...[...DATABASE, "fleet/away-remote", "fleet/git-interrupted", "fleet/worker-over"],
]);

function codeOf(error: unknown): string | null {
  const cause = causeOf(error);
  return cause instanceof RaymondError ? cause.code : null;
}

function messageOf(error: unknown): string {
  const cause = causeOf(error);
  return cause instanceof Error ? cause.message : String(cause);
}

function causeOf(error: unknown): unknown {
  return error instanceof BrokenOffError ? error.cause : error;
}
