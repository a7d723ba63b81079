import { errorCode } from "../../../language/basics/error-code.ts";
import { RaymondError } from "../../../language/basics/errors.ts";
import type { RunId, RunState } from "../../../machine/model/run-state.ts";
import { isLive } from "../../../machine/moves/stop.ts";
import type { Driving } from "../../../run/driving.ts";
import { type ClientProblem, clientProblem } from "../../../wire/agents/agents.ts";
import { BrokenOffError } from "../../../wire/errors.ts";
import { clientsOf } from "../../accounts/credentials.ts";
import type { ClaimedRun } from "../../lease/claimed-run.ts";
import { parseEnqueueKey } from "../../queue/queues.ts";
import { changePlacement, type PlacementRow, setAside } from "../../store/rows/placed-runs.ts";
import type { AccountName } from "../../store/rows/placement.ts";
import type { WorkerContext } from "../worker-context.ts";
import { resumeHere, setRunAside } from "./resume-here.ts";

/** How the execution of a dispatched run ended on this worker. */
export type ClaimOutcome =
  | { readonly kind: "over"; readonly status: string }
  /** Not claimed: the run was deleted, set aside or requeued. */
  | { readonly kind: "none" }
  /** Interrupted or locked: this worker can retry. */
  | { readonly kind: "again"; readonly why: string }
  /** Saved by a newer raymond: for another worker. */
  | { readonly kind: "newer"; readonly why: string }
  /** The client of this machine does not work: for another worker. */
  | {
      readonly kind: "no-client";
      readonly why: string;
      /** The run waits in a queue that this worker still polls, so it must be requeued with a delay. */
      readonly polled: boolean;
    };

/**
 * Claims the run of a queue entry, and executes it until it ends or stops. Problems that a person has to fix set the
 * run aside. Never rejects: DBOS would not retry.
 */
export async function runClaimed(
  id: RunId,
  key: string,
  driving: Driving,
  context: WorkerContext,
): Promise<ClaimOutcome> {
  try {
    const claimed = await context.store.claimQueued(id, parseEnqueueKey(key)?.entry ?? 0);
    if (claimed === null) return { kind: "none" };
    try {
      return await executeClaimed(id, claimed, driving, context);
    } finally {
      await claimed.release();
    }
  } catch (error) {
    const why = messageOf(error);
    if (error instanceof NoClientError) {
      await context.clients.report(error.account, error.agent, error.message);
      return { kind: "no-client", why, polled: error.namesClient };
    }
    return NEWER.has(codeOf(error) ?? "") ? { kind: "newer", why } : { kind: "again", why };
  }
}

async function executeClaimed(
  id: RunId,
  claimed: ClaimedRun,
  driving: Driving,
  context: WorkerContext,
): Promise<ClaimOutcome> {
  const { database } = context;
  const held = { id, holder: context.holder };
  try {
    const { row, run } = claimed.read();
    if (run === null) return { kind: "none" };
    const ended = await executeRun(run, row, claimed, driving, context).catch(
      async (error: unknown) => {
        if (context.isStopping() || isWorkerFault(error)) {
          await changePlacement(database, id, { claims: row.claims }, context.holder);
        }
        throw error;
      },
    );
    const { status, stopReason } = ended;
    const isRequeued = await claimed.close();
    if (!isRequeued) {
      const reason = stopReason === null ? "" : `: ${stopReason.message}`;
      return { kind: "over", status: `${status}${reason}` };
    }
    // If the queue is unavailable, the reaper enqueues the run.
    await context.enqueueMoved(id).catch(() => undefined);
    return { kind: "over", status: "moved to another machine" };
  } catch (error) {
    if (codeOf(error) !== "store/damaged-state") throw error;
    await setAside(database, held, messageOf(error));
    await claimed.close();
    return { kind: "over", status: `set aside: ${messageOf(error)}` };
  }
}

async function executeRun(
  run: RunState,
  row: PlacementRow,
  claimed: ClaimedRun,
  driving: Driving,
  context: WorkerContext,
): Promise<RunState> {
  // Closing the claim requeues the run for its move.
  if (row.move !== null) return run;
  if (row.setAside !== null) return isLive(run) ? setRunAside(run, row.setAside, context) : run;
  // The run has ended, and its last worker died before it closed its claim.
  if (run.status === "completed" || (!isLive(run) && row.claims.steps !== null)) return run;
  try {
    return await resumeHere(run, row, claimed, driving, context).finally(() => {
      context.clones.forget(run.id);
    });
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    // If the run names a client that does not exist here, the client of the machine is not at fault.
    const found = clientProblem(error.code);
    if (found !== null && !isClientOfRun(found, run, context)) {
      throw new NoClientError(row.placement, found.agent, error.message);
    }
    if (isTransient(error)) throw error;
    // No retry helps: only a person can fix this.
    return setRunAside(run, reasonFor(error, context.machine), context);
  }
}

function isClientOfRun(
  { agent, problem }: ClientProblem,
  { settings: { clients } }: RunState,
  { caller }: WorkerContext,
): boolean {
  if (problem === "not-logged-in") return false;
  return clients[agent] !== undefined && clientsOf(caller)[agent] === undefined;
}

/** Names the machine and includes the hint: the user reads this later, elsewhere. */
function reasonFor({ message, hint }: RaymondError, machine: string): string {
  const place = message.includes(machine) ? "" : ` Found on machine ${machine}.`;
  return `${message}${place}${hint === undefined ? "" : ` ${hint}`}`;
}

/** The client of this machine cannot answer the prompts of an account. */
class NoClientError extends Error {
  override readonly name = "NoClientError";
  readonly account: AccountName | null;
  readonly agent: string;
  /** The run names a client, so it waits in a queue that this worker polls all the same. */
  readonly namesClient: boolean;

  constructor(
    { account, withoutClient }: PlacementRow["placement"],
    agent: string,
    message: string,
  ) {
    super(message);
    this.account = account;
    this.agent = agent;
    this.namesClient = withoutClient === true;
  }
}

const NEWER: ReadonlySet<string> = new Set(["store/newer-state", "fleet/newer-run"]);

/** @public Whether an error may go away without a person: a locked run, an unavailable database, a killed program. */
export function isTransient({ code }: RaymondError): boolean {
  return TRANSIENT.has(code) || NEWER.has(code);
}

/** @public Whether a failure is not the fault of the run: the database, or a full disk of this machine. */
export function isWorkerFault(error: unknown): boolean {
  return WORKER_FAULTS.has(errorCode(causeOf(error)) ?? "");
}

const DATABASE = ["fleet/away", "fleet/refused"] as const;
const WORKER_FAULTS: ReadonlySet<string> = new Set([...DATABASE, "ENOSPC", "EDQUOT"]);

const TRANSIENT: ReadonlySet<string> = new Set([
  ...["store/run-taken", "store/run-locked"],
  ...[...DATABASE, "fleet/away-remote", "workspace/git-interrupted", "fleet/worker-over"],
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
