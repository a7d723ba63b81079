import type { Graph } from "../core/graph/graph.ts";
import type {
  AccountJson,
  AgentJson,
  AskedJson,
  CostJson,
  LoggedJson,
  MachineJson,
  PlaceJson,
  ReportJson,
  RunsDiffJson,
  ScheduleJson,
  StepDetailJson,
  SummaryJson,
  TimelineJson,
} from "../runs/json/shapes.ts";

/**
 * What the server of `raymond serve` and its page say to each other (docs/dashboard.md, "What the page is sent").
 * Types alone, for both sides. What a command prints with `--json` is sent as it prints it.
 */

/** `GET /api/runs` */
export interface RunsJson {
  readonly version: string;
  /** Whether anything can be done here (`--allow-control`). */
  readonly control: boolean;
  readonly folders: readonly FolderJson[];
}

/** A state folder, or a fleet. */
export interface FolderJson {
  /** What it is called in addresses: `/api/folders/FOLDER/…`. Stays the same when the server starts anew. */
  readonly folder: string;
  /** The state folder itself; of a fleet its database, without a password. */
  readonly path: string;
  /** The folder of the project that it belongs to; of a fleet as `path`. */
  readonly project: string;
  /** The newest, the last started first. Of a fleet also those that are active. */
  readonly runs: readonly ListedRunJson[];
  /** The number of older ones; 0 for a fleet, which does not count them. */
  readonly more: number;
  /** The cursor that asks for older ones; null where there are none. */
  readonly older: string | null;
  /** The folder that workflows are started from: that of the project; of a fleet the one in which the server was started. */
  readonly starts_in: string;
  /** Of a fleet; null of a state folder. */
  readonly fleet: FleetJson | null;
  /** Why its runs cannot be listed; null where they can. Of a fleet they are shown as they were before. */
  readonly problem: ProblemJson | null;
}

export interface ListedRunJson extends SummaryJson {
  /** Of a run that was submitted to a fleet. */
  readonly place?: PlaceJson;
}

/** Who works for a fleet, and what waits there: each by its name, queues with the most runs first. */
export interface FleetJson {
  readonly machines: readonly SeenMachineJson[];
  readonly queues: readonly QueueJson[];
  readonly accounts: readonly AccountJson[];
  readonly schedules: readonly ScheduleJson[];
}

/** Runs that nobody goes on with yet, all that the same machines may take. */
export interface QueueJson {
  /** The machine that alone may take them; null: any of the pool that has the account. */
  readonly machine: string | null;
  readonly pool: string;
  readonly account: string | null;
  readonly runs: number;
  /** Of them, those that begin at a moment that somebody has named. */
  readonly later: number;
  /** The one of them that was submitted first. */
  readonly first: string;
  /** Who may take them: somebody does, all are drained, or none lives. */
  readonly takers: "some" | "drained" | "none";
}

/** A machine, as `raymond machines --json`, but that nothing of it changes while it is well. */
export interface SeenMachineJson extends Omit<MachineJson, "heard_at"> {
  /** When it was heard last, of one that is gone; null where it lives, or nobody remembers. */
  readonly silent_since: string | null;
}

/** `GET /api/folders/FOLDER/runs?after=OLDER&status=S&words=W`: runs that are older than those of the list. */
export interface OlderRunsJson {
  readonly runs: readonly ListedRunJson[];
  /** As in `FolderJson`. */
  readonly older: string | null;
}

/**
 * `GET /api/folders/FOLDER/runs/RUN`: how a run stands, from its state file alone as long as `log` is `reading`;
 * then `denied`, `reminded`, `worked_s` and the agents that have ended are missing or null.
 */
export interface OverviewJson
  extends Pick<
    ReportJson,
    | "workflow_id"
    | "status"
    | "stop_reason"
    | "origin"
    | "scope_dir"
    | "launch_dir"
    | "started_at"
    | "updated_at"
    | "settings"
    | "total_cost_usd"
    | "steps"
    | "processes"
    | "workflow"
    | "backend"
    | "totals"
    | "wait"
    | "seq"
    | "saves"
    | "held_up"
    | "held_by"
    | "taken_over"
    | "stopped_at"
    | "worked_s"
    | "denied"
    | "allow"
    | "reminded"
    | "next"
  > {
  readonly folder: string;
  readonly simulated: boolean;
  /** Those that live, then those that have ended. */
  readonly agents: readonly OverviewAgentJson[];
  readonly questions: readonly QuestionJson[];
  /** By agent: by which it has ended. Of a long one the beginning. */
  readonly results: Readonly<Record<string, string>>;
  readonly log: "reading" | "read" | "missing";
  /** Why its state file cannot be used; the run is told from its journal then. Null where it can. */
  readonly damage: string | null;
  /** What a resume must be given, so that the run does not stop again at once. */
  readonly resume_needs: ResumeNeedsJson;
  /** Of a run of a fleet; null of any other. */
  readonly place: PlaceJson | null;
  /** Why the database cannot be asked for now: this is how the run stood before. Null where it can. */
  readonly away: ProblemJson | null;
}

export interface ResumeNeedsJson {
  readonly wait: boolean;
  readonly budget: boolean;
  /** A number of steps, in all, that leaves room; null where there is room. */
  readonly max_steps: number | null;
  /** The state whose own `budget` is used up: its file must be changed first. */
  readonly state: string | null;
}

/** What an agent does now. `step` and `since` (ISO 8601) are set while a process runs for it. */
export interface OverviewAgentJson extends AgentJson {
  /** `stopped`: it starts no step until the run is resumed. */
  readonly does: "running" | "ready" | "waiting" | "stopped" | "failed" | "ended";
  readonly step: number | null;
  readonly since: string | null;
}

/** A question with its whole text. */
export interface QuestionJson extends AskedJson {
  readonly question: string;
}

/** `GET …/runs/RUN/graph`: the workflow with the run laid over it, as `raymond graph --run RUN --json`. */
export interface GraphJson extends Graph {
  readonly title: string;
}

/** `GET …/runs/RUN/cost` */
export interface RunCostJson extends CostJson {
  /** What had been spent when: some hundred points at most, the last one is now. */
  readonly over_time: readonly { readonly at: string; readonly total_usd: number }[];
}

/** `GET …/runs/RUN/steps?limit=50&before=N&agent=A`: the last steps that fit, in the order of their starts. */
export type StepsJson = TimelineJson;

/** `GET …/runs/RUN/diff?with=OTHER`: what went another way in this run than in that one, as `raymond diff-runs OTHER RUN --json`. */
export type DiffJson = RunsDiffJson;

/** `GET …/runs/RUN/steps/N` */
export type StepJson = StepDetailJson;

/**
 * `GET …/runs/RUN/events?after=SEQ` (`text/event-stream`), by the name of each. `told` has its `seq` for its id, and the
 * first thing that is sent the place where the stream begins: without `after` the end of the log. A browser
 * that reconnects sends the last id, and is told what came after it, once each. So open the stream first, and
 * load the rest when it has said something: what is told twice that way has the same `seq`.
 */
export interface RunEvents {
  /** A line of the event log. */
  readonly told: LoggedJson;
  /** The overview has changed. Also the first thing that is sent. */
  readonly changed: Pick<OverviewJson, "saves" | "seq" | "status" | "log">;
  /** Too much has happened since, or the log has begun anew: load all again. What is told next comes after `seq`. */
  readonly reset: { readonly seq: number };
  /** There is no such run any more, or it cannot be read: nothing follows. */
  readonly gone: ProblemJson;
}

/** `GET /api/events` (`text/event-stream`). */
export interface ListEvents {
  /** The runs of some folder have changed: `GET /api/runs` again. Also the first thing that is sent. */
  readonly changed: Record<string, never>;
}

/** `GET /api/folders/FOLDER/workflows`: what can be started there. */
export interface WorkflowsJson {
  readonly workflows: readonly WorkflowJson[];
}

export interface WorkflowJson {
  /** As it is started, from the folder of the project. */
  readonly path: string;
  /** What it is good for, in its own words; null where it says nothing. */
  readonly about: string | null;
}

/**
 * What can be done, by `POST` with a JSON object, where `control` is true. `start` goes to
 * `/api/folders/FOLDER/runs`, all others to `…/runs/RUN/NAME`.
 */
export interface Actions {
  readonly start: {
    /** A path, from the folder of the project. */
    readonly workflow: string;
    readonly input?: string | undefined;
    readonly budget_usd?: number | undefined;
    readonly simulate?: boolean | undefined;
    /** Of a fleet: the usual pool, and the account of the worker, where none is named. */
    readonly pool?: string | undefined;
    readonly account?: string | undefined;
  };
  /**
   * A run that would stop again at once needs what `OverviewJson.resume_needs` says: more budget, more steps in
   * all, or (`wait`) to wait for the usage limit or outage that stopped it.
   */
  readonly resume: {
    readonly add_budget_usd?: number | undefined;
    readonly max_steps?: number | undefined;
    readonly wait?: boolean | undefined;
  };
  readonly stop: Record<string, never>;
  readonly "retry-now": Record<string, never>;
  /** Without `agent`, all that wait for a time. */
  readonly wake: { readonly agent?: string | undefined };
  readonly answer: { readonly agent: string; readonly number: number; readonly text: string };
}

/** What has come of an action. */
export interface DoneJson {
  readonly workflow_id: string;
  readonly outcome: string;
  /** The same as a sentence, for people. */
  readonly said: string;
}

/** The body of every answer that is no success: as commands say it. */
export interface ProblemJson {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}
