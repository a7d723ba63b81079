import type { MicroUsd } from "../../language/basics/money.ts";
import type { Level } from "../../language/permissions/permission.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { Effort, OnDenied } from "../../language/workflow/files/state-file.ts";
import type { Sandbox } from "../../language/workflow/policy/sandbox.ts";
import type { Agent, AgentId, SessionId } from "./agent.ts";
import type { DenialCount, Grant } from "./denial.ts";
import type { FailureClass } from "./failure.ts";
import type { Contexts } from "./spend.ts";
import { type Totals, totalCost } from "./totals.ts";
import type { ClosingWorktree, KeptWorktree } from "./worktree.ts";

export type RunId = string;

/** Settings of a run, kept when it resumes. Times in ms, 0 = never. */
export interface RunSettings {
  readonly model: string | null;
  readonly effort: Effort | null;
  /** The model that the client uses while `model` is overloaded; null: none. */
  readonly fallbackModel: string | null;
  /** Maximum turns of one call of the client; null: no limit. */
  readonly maxTurns: number | null;
  /** null means no limit. */
  readonly budgetMicroUsd: MicroUsd | null;
  readonly skipPermissions: boolean;
  /** A prompt step without events for this long is terminated. */
  readonly timeoutMs: number;
  /** The same during a tool call. */
  readonly toolTimeoutMs: number;
  /** Wall-clock time of a script step. */
  readonly scriptTimeoutMs: number;
  /** Maximum concurrent prompt steps; scripts are not counted. */
  readonly maxParallel: number;
  /** Maximum living agents. */
  readonly maxAgents: number;
  readonly keepGoing: boolean;
  /** When all agents wait for a person: stop as paused, or wait. */
  readonly onAsk: OnAsk;
  /** False with `--no-wait`: a usage limit or an outage stops the run as paused. */
  readonly wait: boolean;
  readonly maxOutageMs: number;
  /** A usage limit that lasts longer stops the run as paused; 0 = never. */
  readonly maxWaitMs: number;
  /** Steps before the run stops as paused; null: no limit. */
  readonly maxSteps: number | null;
  /**
   * The highest level of all states; null: not set by the user. `full` of a run that was started is
   * {@link RunSettings.skipPermissions} alone.
   */
  readonly permissions: Level | null;
  /** Items of `allow` and `deny`; null: not set by the user. */
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  /** A state can choose a stricter reaction. */
  readonly onDenied: OnDenied;
  /** Names and `PREFIX_*` that steps may receive (`*`: every variable); null: the default. */
  readonly envPass: readonly string[] | null;
  /** Variables with the values of the user. */
  readonly envSet: Readonly<Record<string, string>>;
  /** Names and `PREFIX_*` of variables whose values are redacted. Values are never saved. */
  readonly envSecret: readonly string[];
  /** Whether prompt steps are denied to edit the workflow, the state folder and the configuration. */
  readonly protectWorkflow: boolean;
  /** How a state file that changed during the run is handled. */
  readonly changedFiles: ChangedFiles;
  /** Limits of scripts and of the commands of models, with absolute paths; null: none. */
  readonly sandbox: Sandbox | null;
  /** The image in which docker or podman runs scripts; null: none. */
  readonly container: string | null;
  /** By coding agent, the path or name of its client. Others have their usual name on PATH. */
  readonly clients: Readonly<Record<string, string>>;
  /** Backend-specific switches. */
  readonly switches: Readonly<Record<string, boolean>>;
  readonly debug: boolean;
  /** Which steps are followed by a snapshot of the files. */
  readonly snapshots: SnapshotMode;
  /** Command that receives important events; null: none. */
  readonly notify: string | null;
  /** Further library folders for other workflows: absolute. */
  readonly workflowPath: readonly string[];
  /**
   * Coding agents of prompts whose state names none, preferred ones first; null or absent: the
   * default agent.
   */
  readonly agents?: readonly string[] | null | undefined;
  /** A wait of this length makes the next coding agent of a list run the step; absent: the default. */
  readonly fallbackAfterMs?: number | undefined;
  /** Whether a run with a budget may use models without a known price; absent: no. */
  readonly allowUnpriced?: boolean | undefined;
}

export const ON_ASK = ["stop", "wait"] as const;
export type OnAsk = (typeof ON_ASK)[number];

export const SNAPSHOT_MODES = ["off", "prompts", "all"] as const;
export type SnapshotMode = (typeof SNAPSHOT_MODES)[number];

export const CHANGED_FILES = ["warn", "refuse", "allow"] as const;
export type ChangedFiles = (typeof CHANGED_FILES)[number];

/** docs/state-file.md, "Run". */
export const RUN_STATUSES = [
  "running",
  "waiting",
  "paused",
  "interrupted",
  "budget_exceeded",
  "failed",
  "completed",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Why the run stopped, or is stopping while steps in flight end. */
export type StopReason = {
  readonly message: string;
  /** The agent that caused it, and the full name of its state. */
  readonly agent: AgentId | null;
  readonly state: string | null;
} & (
  | { readonly class: FailureClass | "budget" | "step-limit" | "question" | "parked" }
  | {
      readonly class: "interrupted";
      /** For the exit code 130 or 143. */
      readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";
    }
);

export function signalOf(reason: StopReason) {
  return reason.class === "interrupted" ? reason.signal : null;
}

/** A usage limit or outage of a coding agent: its steps wait. */
export interface Wait {
  readonly class: "limit" | "outage";
  /** Epoch ms of the next retry. */
  readonly until: number;
  /** Epoch ms. */
  readonly since: number;
  readonly tries: number;
  /** Number of the last process before the wait: only later ones can end it. */
  readonly process: number;
  readonly message: string;
}

/** By full name of a prompt state, the coding agents that may answer it, preferred ones first. */
export type Candidates = Readonly<Record<string, readonly string[]>>;

/** The origin of a run started by `raymond rerun`. */
export interface RerunOrigin {
  readonly run: RunId;
  /** The step of the original run before which this run starts. */
  readonly step: number;
  /** Number of the last step of the original run: steps of this run have later numbers. */
  readonly after: number;
  /** Spend of the original run, not included in this run. */
  readonly costMicroUsd: MicroUsd;
}

/** The git worktree that was created for a run. */
export interface RunWorktree {
  /** Its top-level folder: absolute. */
  readonly folder: string;
  readonly branch: string;
  /** The commit that the branch started from. */
  readonly base: string;
  /** The folder of the checkout in which the user started the run. */
  readonly origin: string;
  /** Files to copy from the checkout, relative to its top; absent: none. */
  readonly copy?: readonly string[] | undefined;
}

export type WorkflowKind = "folder" | "zip" | "yaml";

/** Everything that a run needs to continue after a crash. */
export interface RunState {
  readonly version: 1;
  readonly id: RunId;
  readonly status: RunStatus;
  readonly stopReason: StopReason | null;
  readonly workflow: {
    readonly kind: WorkflowKind;
    /** As named by the user: absolute. */
    readonly path: string;
    readonly entry: StateName;
  };
  /** The folder that holds the state files: absolute; for a zip the run's unpacked copy. */
  readonly scopeDir: string;
  readonly launchDir: string;
  /** The state directory that contained the run at its last save; absent: a run of a fleet. */
  readonly stateFolder?: string | undefined;
  /** Absent: the run works in the folder in which it was started. */
  readonly worktree?: RunWorktree | undefined;
  /** Worktrees of ended agents whose files are not yet committed; absent: none. */
  readonly closing?: readonly ClosingWorktree[] | undefined;
  /** Worktrees that remain after the end of their agents; absent: none. */
  readonly kept?: readonly KeptWorktree[] | undefined;
  /** Null: started at its entry state. */
  readonly origin: RerunOrigin | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly settings: RunSettings;
  /**
   * Name of the default coding agent, or `simulation`, which stands for all coding agents: a run
   * always resumes on the same one.
   */
  readonly backend: string;
  /** The coding agent that has a conversation: no other one can continue it. */
  readonly owners: Readonly<Record<SessionId, string>>;
  readonly candidates: Candidates;
  /** By full name of a prompt state, the number of its next call. */
  readonly calls: Readonly<Record<string, number>>;
  /** Random secret in the environment of all processes of the run, to find them. */
  readonly token: string;
  /** Living agents in start order. */
  readonly agents: readonly Agent[];
  /** Workers started by each living agent and by `main`; ids are never reused. */
  readonly forkCounters: Readonly<Record<AgentId, number>>;
  /** Results of ended agents: `main` and the last 1,000 others. */
  readonly results: Readonly<Record<AgentId, string>>;
  /** Totals of all attempts; `totals.costMicroUsd` is `total_cost_usd`. */
  readonly totals: Totals;
  /** Totals by full name of a state, by model, and by coding agent (prompts only). */
  readonly sums: {
    readonly states: Readonly<Record<string, Totals>>;
    readonly models: Readonly<Record<string, Totals>>;
    readonly backends: Readonly<Record<string, Totals>>;
  };
  /** Visits by full name of a state; reset on resume after a stop at `max_visits`. */
  readonly visits: Readonly<Record<string, number>>;
  /** The last reported total cost of each conversation: see `charge`. */
  readonly baselines: Readonly<Record<SessionId, MicroUsd>>;
  /** The last reported context of each conversation. */
  readonly contexts: Contexts;
  /** Last price of one uncached input token by model, micro-dollars (fractional). */
  readonly prices: Readonly<Record<string, number>>;
  /** Versions of clients with implausible costs, already warned about. */
  readonly misread: readonly string[];
  /** Results that persons have set (`raymond set`). */
  readonly resultsSet: number;
  /** Tool calls that a person has allowed for the whole run; null: none. */
  readonly grants: readonly Grant[] | null;
  /** Denied tool calls so far (`countDenials`); null: none. */
  readonly denied: readonly DenialCount[] | null;
  /** Steps that moved an agent, or ended with a question about denied tool calls. */
  readonly steps: number;
  /** Processes started so far: the number of the last one. */
  readonly processes: number;
  /** Usage limits and outages, by coding agent. */
  readonly waits: Readonly<Record<string, Wait>>;
  /** Number of the last event, from 1. */
  readonly seq: number;
  /** Number of saves including this one: the number of the last journal record. */
  readonly saves: number;
}

/** As a clause. */
export function describeOrigin({ run, step }: RerunOrigin): string {
  return `it is a rerun of ${run} from step ${String(step)}`;
}

/** The number of the first step of a run. */
export function firstStep({ origin }: Pick<RunState, "origin">): number {
  return (origin?.after ?? 0) + 1;
}

/** Spend that counts toward the budget. */
export function spent(run: RunState): MicroUsd {
  return totalCost(run.totals);
}
