import type { MicroUsd } from "../money.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Effort } from "../workflow/state-file.ts";
import type { Agent, AgentId, SessionId } from "./agent.ts";
import type { Contexts } from "./context-size.ts";
import type { FailureClass } from "./failure.ts";
import { paid, type Sums } from "./sums.ts";

export type RunId = string;

/** What the user asked for at the start; a resumed run keeps it. Times in ms, 0 = never. */
export interface RunSettings {
  readonly model: string | null;
  readonly effort: Effort | null;
  /** null means no limit. */
  readonly budgetMicroUsd: MicroUsd | null;
  readonly skipPermissions: boolean;
  /** A prompt step without any event for so long is ended. */
  readonly timeoutMs: number;
  /** The same while a tool call is unanswered. */
  readonly toolTimeoutMs: number;
  /** Wall clock of a script step. */
  readonly scriptTimeoutMs: number;
  /** Prompt steps at once; scripts are not counted. */
  readonly maxParallel: number;
  /** Agents that may live at once. */
  readonly maxAgents: number;
  readonly keepGoing: boolean;
  /** What a run does in which everybody waits for a person: stop as paused, or wait. */
  readonly onAsk: OnAsk;
  /** False with `--no-wait`: a usage limit or an outage stops the run as paused. */
  readonly wait: boolean;
  readonly maxOutageMs: number;
  /** A usage limit that lasts longer stops the run as paused; 0 = never. */
  readonly maxWaitMs: number;
  /** Steps after which the run stops as paused; null: no limit. */
  readonly maxSteps: number | null;
  readonly tools: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  /** Whether prompt steps are denied to edit the workflow, the state folder and the configuration. */
  readonly protectWorkflow: boolean;
  /** How a state file that changed during the run is handled. */
  readonly changedFiles: ChangedFiles;
  /** Path or name of the client; null: as the backend calls it, on PATH. */
  readonly client: string | null;
  /** What only the backend understands, by name: it is carried along, and never looked into. */
  readonly switches: Readonly<Record<string, boolean>>;
  readonly debug: boolean;
  /** Command that gets the events worth waking somebody for; null: none. */
  readonly notify: string | null;
  /** Folders beyond its library in which another workflow may lie: absolute. */
  readonly workflowPath: readonly string[];
}

export const ON_ASK = ["stop", "wait"] as const;
export type OnAsk = (typeof ON_ASK)[number];

export const CHANGED_FILES = ["warn", "refuse", "allow"] as const;
export type ChangedFiles = (typeof CHANGED_FILES)[number];

/** What a run can be called (docs/state-file.md, "The run"). */
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

/** Why the run stopped, or is about to: set while steps in flight still end. */
export type StopReason = {
  readonly message: string;
  /** The agent that is the cause, and the full name of the state that it was in. */
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

/** The signal that has interrupted a run; null for every other reason. */
export function signalOf(reason: StopReason) {
  return reason.class === "interrupted" ? reason.signal : null;
}

/** A usage limit that the whole run waits for. */
export interface Wait {
  readonly class: "limit" | "outage";
  /** Epoch ms of the next try. */
  readonly until: number;
  /** Epoch ms at which the wait began. */
  readonly since: number;
  readonly tries: number;
  /** Number of the last process when the wait began: only later ones can prove that it is over. */
  readonly process: number;
  readonly message: string;
}

/** Where a run comes from that `raymond rerun` has begun: it stood there before this step of that run. */
export interface RerunOrigin {
  readonly run: RunId;
  /** Number of its process there. */
  readonly step: number;
  /** Number of the last step that had begun there: those of this run have later ones. */
  readonly after: number;
  /** What had been spent there until then, which is no part of what this run has spent. */
  readonly costMicroUsd: MicroUsd;
}

/** How a workflow is packed: a folder, an archive, or one file of YAML. */
export type WorkflowKind = "folder" | "zip" | "yaml";

/** Everything that a run needs to continue after a crash. Stores persist this and nothing else. */
export interface RunState {
  readonly version: 4;
  readonly id: RunId;
  readonly status: RunStatus;
  readonly stopReason: StopReason | null;
  readonly workflow: {
    readonly kind: WorkflowKind;
    /** What the user named: absolute. */
    readonly path: string;
    readonly entry: StateName;
  };
  /** The folder that holds the state files: absolute; for a zip the run's unpacked copy. */
  readonly scopeDir: string;
  readonly launchDir: string;
  /** Null: it began at its entry. */
  readonly origin: RerunOrigin | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly settings: RunSettings;
  /** Name of the backend that answers prompts: a run resumes on the one that it was started on. */
  readonly backend: string;
  /** Calls of each prompt state that were heard so far, by its full name: the number of its next one. */
  readonly calls: Readonly<Record<string, number>>;
  /** Random, private to the run: carried by its processes so that they can be found. */
  readonly token: string;
  /** Living agents, in the order of their start. */
  readonly agents: readonly Agent[];
  /** Workers started so far by each living agent and by `main`; ids are never reused. */
  readonly forkCounters: Readonly<Record<AgentId, number>>;
  /** Payloads of agents that have ended: `main`'s and the last 1,000 others. */
  readonly results: Readonly<Record<AgentId, string>>;
  /** What attempts have reported; `totals.costMicroUsd` is `total_cost_usd`. */
  readonly totals: Sums;
  /** By the full name of a state and by model; those of an agent are its own. */
  readonly sums: {
    readonly states: Readonly<Record<string, Sums>>;
    readonly models: Readonly<Record<string, Sums>>;
  };
  /** How often each state was entered, by its full name; a stop at `max_visits` begins its count anew on resume. */
  readonly visits: Readonly<Record<string, number>>;
  /** What a conversation has cost, as a client that ended by itself said last: see `charge`. */
  readonly baselines: Readonly<Record<SessionId, MicroUsd>>;
  /** What each conversation held when it was last heard of. */
  readonly contexts: Contexts;
  /** What one uncached input token of a model has cost last, micro-dollars (a fraction). */
  readonly prices: Readonly<Record<string, number>>;
  /** Versions of clients whose costs did not fit their tokens: each was warned about once. */
  readonly misread: readonly string[];
  /** Outcomes that moved an agent. */
  readonly steps: number;
  /** Processes started so far: the number of the last one. */
  readonly processes: number;
  readonly wait: Wait | null;
  /** Number of the last event that was told: each has its own, from 1 on. */
  readonly seq: number;
  /** Saves of this run so far, this one included: the number of its last record in the journal. */
  readonly saves: number;
}

/** Where a run comes from, as the end of a sentence. */
export function originWords({ run, step }: RerunOrigin): string {
  return `it was begun from where ${run} stood before step ${String(step)}`;
}

/** The number of the first step of a run. */
export function firstStep({ origin }: Pick<RunState, "origin">): number {
  return (origin?.after ?? 0) + 1;
}

/** What counts toward the budget. */
export function spent(run: RunState): MicroUsd {
  return paid(run.totals);
}
