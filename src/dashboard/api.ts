import type { Graph } from "../analysis/graph/graph.ts";
import type { AskedQuestion } from "../engine/ports/store.ts";
import type {
  AccountJson,
  AgentJson,
  CostJson,
  LoggedJson,
  MachineJson,
  PlaceJson,
  ReportJson,
  ScheduleJson,
  SummaryJson,
} from "../inspect/json/shapes.ts";

/**
 * The HTTP API between the server of `raymond serve` and its page (docs/dashboard.md, "HTTP API").
 * Parts that a command prints with `--json` have the same shape here.
 */

/** `GET /api/runs` */
export interface RunsJson {
  readonly version: string;
  /** Whether actions are allowed (`--allow-control`). */
  readonly control: boolean;
  readonly folders: readonly FolderJson[];
}

export interface FolderJson {
  /** Its name in addresses: `/api/folders/FOLDER/…`. Stable across restarts of the server. */
  readonly folder: string;
  /** The state folder. For a fleet its database, without the password. */
  readonly path: string;
  /** The project folder. For a fleet the same as `path`. */
  readonly project: string;
  /** The newest runs, last started first. For a fleet also all active ones. */
  readonly runs: readonly ListedRunJson[];
  /** The number of older runs. 0 for a fleet, which does not count them. */
  readonly more: number;
  /** Cursor for older runs; null if there are none. */
  readonly older: string | null;
  /** Workflow paths are relative to it: the project folder, or for a fleet the working folder of the server. */
  readonly starts_in: string;
  /** Null for a state folder. */
  readonly fleet: FleetJson | null;
  /** Why the runs cannot be listed; null if they can. For a fleet, `runs` are then the last known ones. */
  readonly problem: ProblemJson | null;
}

export interface ListedRunJson extends SummaryJson {
  /** Only for a run of a fleet. */
  readonly place?: PlaceJson;
}

/** Each list is sorted by name, except queues: longest first. */
export interface FleetJson {
  readonly machines: readonly ListedMachineJson[];
  readonly queues: readonly QueueJson[];
  readonly accounts: readonly AccountJson[];
  readonly schedules: readonly ScheduleJson[];
}

/** Queued runs that the same machines may claim. */
export interface QueueJson {
  /** The only machine that may claim them; null: any machine of the pool that has the account. */
  readonly machine: string | null;
  readonly pool: string;
  readonly account: string | null;
  readonly runs: number;
  /** The number of them with a start time in the future. */
  readonly later: number;
  readonly first: string;
  /** Workers that may claim them: available, all drained, or none alive. */
  readonly workers: "available" | "drained" | "none";
}

/** A machine as in `raymond fleet workers --json`, without the heartbeat time, which changes all the time. */
export interface ListedMachineJson extends Omit<MachineJson, "heartbeat_at"> {
  /** Time of the last heartbeat of a dead machine; null if it is alive, or the time is unknown. */
  readonly silent_since: string | null;
}

/** `GET /api/folders/FOLDER/runs?after=OLDER&status=S&words=W`: runs older than those in the list. */
export interface OlderRunsJson {
  readonly runs: readonly ListedRunJson[];
  /** As in `FolderJson`. */
  readonly older: string | null;
}

/** Fields of `raymond status --json` in an overview. Omits long ones, and the token, which marks processes of the run. */
export const REPORT_KEYS = [
  ...(["workflow_id", "status", "stop_reason", "origin", "scope_dir", "launch_dir"] as const),
  ...(["started_at", "updated_at", "settings", "total_cost_usd", "steps", "processes"] as const),
  ...(["workflow", "backend", "totals", "waits", "seq", "saves", "held_up", "held_by"] as const),
  ...([
    "taken_over",
    "commands",
    "stopped_at",
    "worked_s",
    "denied",
    "allow",
    "reminded",
    "next",
  ] as const),
] as const;

/**
 * `GET /api/folders/FOLDER/runs/RUN`: the status of a run. While `log` is `reading`, it comes from the state file
 * only: `reminded`, `worked_s` and ended agents are missing or null.
 */
export interface OverviewJson extends Pick<ReportJson, (typeof REPORT_KEYS)[number]> {
  readonly folder: string;
  readonly simulated: boolean;
  readonly agents: readonly OverviewAgentJson[];
  readonly questions: readonly QuestionJson[];
  /** Results by agent. Long results are truncated. */
  readonly results: Readonly<Record<string, string>>;
  readonly log: "reading" | "read" | "missing";
  /** Why the state file is unusable: the run was then recovered from its journal. Null if it is usable. */
  readonly damage: string | null;
  /** What a resume must specify, or the run stops again immediately. */
  readonly resume_needs: ResumeNeedsJson;
  /** Null unless the run belongs to a fleet. */
  readonly place: PlaceJson | null;
  /** Why the database is unavailable: the rest is then the last known status. Null if it is available. */
  readonly away: ProblemJson | null;
}

export interface ResumeNeedsJson {
  readonly wait: boolean;
  readonly budget: boolean;
  /** A sufficient new total; null if the current one is not used up. */
  readonly max_steps: number | null;
  /** The state whose own `budget` is used up: the user must change its file first. */
  readonly state: string | null;
}

/** `step` and `since` (ISO 8601) are set while a process of the agent is running. */
export interface OverviewAgentJson extends AgentJson {
  /** `stopped`: it starts no step before the run is resumed. */
  readonly does: "running" | "ready" | "waiting" | "stopped" | "failed" | "ended";
  readonly step: number | null;
  readonly since: string | null;
}

/** A question with its complete text. */
export interface QuestionJson extends AskedQuestion {
  readonly question: string;
}

/** `GET …/runs/RUN/graph`: the workflow with the run laid over it, as `raymond graph --run RUN --json`. */
export interface GraphJson extends Graph {
  readonly title: string;
}

/** `GET …/runs/RUN/steps/STEP/diff` */
export interface StepDiffJson {
  /** As `raymond diff RUN STEP` prints it. */
  readonly text: string;
  /** Whether the end is left out. */
  readonly cut: boolean;
}

/** `GET …/runs/RUN/cost` */
export interface RunCostJson extends CostJson {
  /** Cumulative cost: a few hundred points at most, the last one is current. */
  readonly over_time: readonly { readonly at: string; readonly total_usd: number }[];
}

/**
 * `GET …/runs/RUN/events?after=SEQ` (`text/event-stream`), by event name. The id of a `logged` event is its `seq`;
 * the id of the first event is the position where the stream starts (without `after` the end of the log).
 * A browser that reconnects sends the last id and receives each later event once. So open the stream first, and
 * load the rest after the first event: an event received twice has the same `seq`.
 */
export interface RunEvents {
  readonly logged: LoggedJson;
  /** The overview has changed. Also the first event of a stream. */
  readonly changed: Pick<OverviewJson, "saves" | "seq" | "status" | "log">;
  /** The client is too far behind, or the log was replaced: reload everything. Later events follow `seq`. */
  readonly reset: { readonly seq: number };
  /** The run was deleted or cannot be read. This is the last event. */
  readonly gone: ProblemJson;
}

/** `GET /api/events` (`text/event-stream`). */
export interface ListEvents {
  /** Some list has changed: `GET /api/runs` again. Also the first event of a stream. */
  readonly changed: Record<string, never>;
}

/** `GET /api/folders/FOLDER/workflows`: the workflows that can be started there. */
export interface WorkflowsJson {
  readonly workflows: readonly {
    /** Relative to `FolderJson.starts_in`. */
    readonly path: string;
    /** Its description; null if it has none. */
    readonly about: string | null;
  }[];
}

/**
 * Bodies of `POST` requests, allowed if `control` is true. `start` goes to `/api/folders/FOLDER/runs`,
 * all others to `…/runs/RUN/NAME`.
 */
export interface Actions {
  readonly start: {
    /** Relative to `FolderJson.starts_in`. */
    readonly workflow: string;
    readonly input?: string | undefined;
    readonly budget_usd?: number | undefined;
    readonly simulate?: boolean | undefined;
    /** Only for a fleet. Defaults: the default pool, and the account of the worker. */
    readonly pool?: string | undefined;
    readonly account?: string | undefined;
  };
  /**
   * Must contain what `OverviewJson.resume_needs` lists: more budget, a higher total of steps, or `wait` for the
   * usage limit or outage that stopped the run.
   */
  readonly resume: {
    readonly add_budget_usd?: number | undefined;
    readonly max_steps?: number | undefined;
    readonly wait?: boolean | undefined;
  };
  readonly stop: Record<string, never>;
  /** Without `agent`: the whole run. */
  readonly retry: { readonly agent?: string | undefined };
  readonly answer: { readonly agent: string; readonly number: number; readonly text: string };
  readonly set: {
    readonly agent: string;
    readonly result: string;
    readonly reason?: string | undefined;
  };
}

export interface ActionResultJson {
  readonly workflow_id: string;
  readonly outcome: string;
  readonly message: string;
}

/** The body of every error response. */
export interface ProblemJson {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}
