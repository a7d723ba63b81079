import type { AccountFigures } from "../../console/format/account-cells.ts";
import type { AskedQuestion, RunSummary } from "../../engine/ports/store.ts";
import type { RunsDivergence } from "../../log/agent-moves.ts";
import type { ActorJson } from "../../log/codec/event-values.ts";
import type { TakenOver } from "../../log/event-history.ts";
import type { LoggedCommand } from "../../log/logged-commands.ts";
import type { MachineState } from "../../log/machine-state.ts";
import type { StepError } from "../../machine/model/activity.ts";
import type { AgentWait } from "../../machine/model/agent-wait.ts";
import type { DenialCount } from "../../machine/model/denial.ts";
import type { Context } from "../../machine/model/spend.ts";
import type { StateDocument, SumsDocument } from "../../storage/codec/state-document.ts";

/**
 * The output of commands with `--json` (docs/cli.md), which the dashboard uses too. Contains only
 * types and imports no Node.js module, so the page in the browser can import it.
 */

/** A line of `raymond list --json`. */
export interface SummaryJson {
  readonly workflow_id: string;
  readonly status: RunSummary["status"];
  readonly workflow: string | null;
  readonly simulated: boolean | null;
  readonly total_cost_usd: number | null;
  /** For a rerun: its original run, and the step from which it was started. */
  readonly origin: RunSummary["origin"];
  readonly steps: number | null;
  readonly agents: number | null;
  /** Times are ISO 8601. */
  readonly started_at: string | null;
  readonly updated_at: string;
  readonly waits_until: string | null;
  /** A long question is null: the overview contains it. */
  readonly questions: readonly AskedQuestion[];
  readonly held_by: HolderJson | null;
  readonly problem: string | null;
}

export interface HolderJson {
  readonly host: string;
  readonly pid: number;
  readonly started_at: string;
  readonly visible: boolean;
  readonly last_seen_at: string;
}

export interface PlaceJson {
  readonly pool: string;
  readonly account: string | null;
  /** The machine that has its files and conversations; null before the first claim. */
  readonly home: string | null;
  readonly workspace: string;
  /** The only machine that may claim it; null: any of the pool. */
  readonly pinned: string | null;
  /** The absent machine that alone can resume it. */
  readonly waits_for: string | null;
  readonly set_aside: string | null;
}

/** A line of `raymond fleet workers --json`. */
export interface MachineJson {
  readonly id: string;
  readonly state: MachineState;
  readonly lives: boolean;
  readonly draining: boolean;
  readonly heartbeat_at: string | null;
  readonly pools: readonly string[];
  readonly accounts: readonly string[];
  readonly slots: number;
  readonly active_runs: number;
  /** Unfinished runs whose home it is. */
  readonly runs: number;
  readonly version: string;
  /** Why its client cannot answer prompts, by account (`""`: without an account); absent if it can. */
  readonly client_problems?: Readonly<Record<string, string>>;
}

/** A line of `raymond fleet limits --json`. */
export interface AccountJson extends AccountFigures {
  readonly account: string;
  /** Live machines that have the account. */
  readonly machines: readonly string[];
  /** The first of the waiting runs. */
  readonly waiting_runs: readonly string[];
}

/** A line of `raymond fleet schedules --json`. */
export interface ScheduleJson {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly paused: boolean;
  readonly workflow: string;
  readonly next_at: string;
  readonly last_run: string | null;
  readonly last_at: string | null;
  readonly made_at: string;
}

/** An agent in `raymond status --json` and `raymond why --json`. */
export interface AgentJson {
  readonly agent: string;
  readonly state: string | null;
  readonly ended: boolean;
  readonly cost_usd: number | null;
  readonly waits_for: WaitJson | null;
  readonly error: StepError | null;
  /** The failure that ended it, which was reported to its parent. */
  readonly reported: string | null;
  readonly returns_to: readonly string[];
  readonly callers: readonly (string | null)[];
  readonly session_id: string | null;
  readonly session_dir: string | null;
  readonly context: Context | null;
  /** The command that opens its conversation. Null if its client cannot do that. */
  readonly open: string | null;
  /** The coding agent of its step in progress or its last conversation. */
  readonly backend: string | null;
  readonly sessions: readonly string[];
}

/** The last four are present for a question. */
export interface WaitJson {
  readonly for: AgentWait["kind"];
  readonly until: string | null;
  readonly number?: number;
  readonly question?: string;
  readonly options?: readonly string[] | null;
  readonly answer_with?: string | null;
}

/** Output of `raymond status --json`: the state file and derived facts. */
export interface ReportJson extends Omit<StateDocument, "status" | "denied"> {
  readonly status: StateDocument["status"] | "crashed" | "held" | "queued" | "stopping";
  /** Why a queued fleet run, or an agent, waits. */
  readonly held_up: readonly { readonly agent: string | null; readonly message: string }[];
  readonly held_by: HolderJson | null;
  readonly taken_over: TakenOver | null;
  /** Null if the event log is unreadable. */
  readonly commands: readonly CommandJson[] | null;
  readonly stopped_at: string | null;
  readonly worked_s: number | null;
  readonly report: readonly AgentJson[];
  readonly denied: readonly DenialCount[];
  readonly allow: string | null;
  readonly reminded: Readonly<Record<string, number>> | null;
  /** Steps that changed files, from their snapshots. Null if the event log is unreadable. */
  readonly changes: readonly ChangesJson[] | null;
  readonly alive: readonly { readonly pid: number; readonly command: string }[];
  readonly next: string | null;
}

export interface FileChangeJson {
  readonly file: string;
  readonly kind: "added" | "deleted" | "modified";
  readonly added: number | null;
  readonly removed: number | null;
}

/** What a step changed in its working tree. */
export interface ChangesJson {
  readonly step: number;
  readonly agent: string;
  readonly state: string;
  /** Commits: the snapshots before and after the step. */
  readonly base: string;
  readonly snapshot: string;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** Other agents worked in the same folder during the step. */
  readonly shared: boolean;
}

/** A command to a run (docs/events.md, "Actors"). */
export interface CommandJson extends Omit<LoggedCommand, "actor"> {
  readonly actor: ActorJson;
}

/** A line of an event log (docs/events.md). */
export interface LoggedJson {
  readonly type: string;
  readonly seq: number;
  readonly at: string | null;
  readonly [key: string]: unknown;
}

/** A step in `raymond show --json`. */
export interface StepJson {
  readonly step: number;
  readonly running: boolean;
  readonly started: LoggedJson;
  readonly ended: LoggedJson | null;
  readonly after: readonly LoggedJson[];
}

/** Output of `raymond show RUN STEP --json`. */
export interface StepDetailJson extends StepJson {
  readonly workflow_id: string;
  readonly prompt: string | null;
  readonly said: readonly string[];
  /** Its messages and actions in order; long texts are shortened. */
  readonly did: readonly LoggedJson[];
  readonly tools: readonly LoggedJson[];
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly string[];
  /** The files that the step changed; null without snapshots. Lines of binary files are null. */
  readonly changes: readonly FileChangeJson[] | null;
  readonly open: string | null;
}

/** Output of `raymond show --json`. */
export interface TimelineJson {
  readonly workflow_id: string;
  readonly steps: readonly StepJson[];
  readonly unreadable: number;
  readonly commands: readonly CommandJson[];
}

/** Input tokens read from the provider's cache, as a share of all input, 0 to 1; null without input. */
interface CacheShareJson {
  readonly cache_share: number | null;
}

/** Totals in `raymond cost --json`. */
export type UsageJson = SumsDocument & CacheShareJson;

/** Output of `raymond cost --json`. */
export interface CostJson {
  readonly workflow_id: string;
  readonly status: ReportJson["status"];
  readonly simulated: boolean;
  readonly budget_usd: number | null;
  readonly total_cost_usd: number;
  /** For a rerun: `cost_usd` was spent by the original run, and is not counted here. */
  readonly origin: NonNullable<StateDocument["origin"]> | null;
  readonly totals: StateDocument["totals"] & CacheShareJson;
  readonly sums: {
    readonly agents: Readonly<Record<string, UsageJson>>;
    readonly states: Readonly<Record<string, UsageJson>>;
    readonly models: Readonly<Record<string, UsageJson>>;
    readonly backends: Readonly<Record<string, UsageJson>>;
  };
}

/** Output of `raymond diff-runs --json`. */
export interface RunsDiffJson {
  readonly same: boolean;
  readonly left: ComparedJson;
  readonly right: ComparedJson;
  readonly divergences: readonly RunsDivergence[];
  readonly states: readonly {
    readonly state: string;
    readonly left: SumsDocument;
    readonly right: SumsDocument;
  }[];
  readonly other_results: readonly string[];
}

export interface ComparedJson {
  readonly workflow_id: string;
  readonly status: ReportJson["status"];
  readonly origin: SummaryJson["origin"];
  readonly in_progress: boolean;
  readonly steps: number;
  readonly attempts: number;
  readonly failures: number;
  readonly agents: number;
  readonly cost_usd: number;
  readonly worked_ms: number;
  readonly elapsed_ms: number;
  readonly totals: SumsDocument;
}
