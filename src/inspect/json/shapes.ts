import type { AccountFigures } from "../../console/format/account-cells.ts";
import type { MachineState } from "../../log/machine-state.ts";
import type { StateDocument, SumsDocument } from "../../storage/codec/state-document.ts";

/**
 * What commands print with `--json` (docs/cli.md), and the dashboard is sent. Of these files this one has no
 * more than types, and leads to no module of Node: a page in a browser may import it.
 */

/** A line of `raymond list --json`. */
export interface SummaryJson {
  readonly workflow_id: string;
  readonly status: StateDocument["status"] | "crashed" | "held" | "queued" | "unreadable";
  readonly workflow: string | null;
  readonly simulated: boolean | null;
  readonly total_cost_usd: number | null;
  /** For a rerun: its original run, and the step from which it was started. */
  readonly origin: { readonly run: string; readonly step: number } | null;
  readonly steps: number | null;
  readonly agents: number | null;
  /** Times are ISO 8601. */
  readonly started_at: string | null;
  readonly updated_at: string;
  readonly waits_until: string | null;
  readonly questions: readonly AskedJson[];
  readonly held_by: HolderJson | null;
  readonly problem: string | null;
}

/** `question` is null if it is long: then it is in the overview. */
export interface AskedJson {
  readonly agent: string;
  readonly state: string;
  readonly number: number;
  readonly question: string | null;
  readonly options: readonly string[] | null;
  readonly until: string | null;
  readonly answered: boolean;
}

export interface HolderJson {
  readonly host: string;
  readonly pid: number;
  readonly started_at: string;
  readonly visible: boolean;
  readonly heard_at: string;
}

/** Where a run of a fleet is, and may be. */
export interface PlaceJson {
  readonly pool: string;
  readonly account: string | null;
  /** The machine that has its files and conversations; null before one has taken it. */
  readonly home: string | null;
  readonly workspace: string;
  /** The machine that alone may take it; null: any of the pool. */
  readonly pinned: string | null;
  /** The absent machine that alone can resume it. */
  readonly waits_for: string | null;
  readonly set_aside: string | null;
}

/** What `raymond machines --json` prints. */
export interface MachineJson {
  readonly id: string;
  readonly state: MachineState;
  readonly lives: boolean;
  readonly draining: boolean;
  readonly heard_at: string | null;
  readonly pools: readonly string[];
  readonly accounts: readonly string[];
  readonly slots: number;
  /** Runs in progress. */
  readonly in_hand: number;
  /** Runs that are at home there and not over. */
  readonly runs: number;
  readonly version: string;
  /** Why its client cannot answer prompts, by account (`""`: without an account); absent where it can. */
  readonly client_problems?: Readonly<Record<string, string>>;
}

/** What `raymond limits --json` prints. */
export interface AccountJson extends AccountFigures {
  readonly account: string;
  /** Those that live and have it. */
  readonly machines: readonly string[];
  /** The runs that wait longest: some. */
  readonly waiting_runs: readonly string[];
}

/** What `raymond schedules --json` prints. */
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
  readonly error: {
    readonly class: string;
    readonly message: string;
    readonly hint: string | null;
    readonly state: string;
  } | null;
  /** The failure that ended it, which was reported to its parent. */
  readonly reported: string | null;
  readonly returns_to: readonly string[];
  readonly callers: readonly (string | null)[];
  readonly session_id: string | null;
  readonly session_dir: string | null;
  readonly context: ContextJson | null;
  /** The line that opens its conversation. */
  readonly open: string | null;
  readonly sessions: readonly string[];
}

/** How full a conversation is. */
export interface ContextJson {
  readonly tokens: number;
  readonly window: number | null;
}

/** The last four are present for a question. */
export interface WaitJson {
  readonly for:
    | "limit"
    | "probe"
    | "opened"
    | "retry"
    | "delay"
    | "join"
    | "answer"
    | "place"
    | "steps"
    | "money";
  readonly until: string | null;
  readonly number?: number;
  readonly question?: string;
  readonly options?: readonly string[] | null;
  readonly answer_with?: string | null;
}

/** Output of `raymond status --json`: the state file's document, and the facts of the page. */
export interface ReportJson extends Omit<StateDocument, "status"> {
  readonly status: StateDocument["status"] | "crashed" | "held" | "queued" | "stopping";
  /** Of a run of a fleet: what keeps it, or an agent, that is no fact of the run. */
  readonly held_up: readonly { readonly agent: string | null; readonly message: string }[];
  readonly held_by: HolderJson | null;
  readonly taken_over: { readonly host: string; readonly pid: number; readonly at: string } | null;
  readonly stopped_at: string | null;
  readonly worked_s: number | null;
  readonly report: readonly AgentJson[];
  /** Null where the event log cannot be read. */
  readonly denied:
    | readonly { readonly tool: string; readonly input: string; readonly count: number }[]
    | null;
  readonly allow: string | null;
  readonly reminded: Readonly<Record<string, number>> | null;
  readonly alive: readonly { readonly pid: number; readonly command: string }[];
  readonly next: string | null;
}

/** A line of an event log. docs/events.md lists the keys, and `decodeEvent` reads them. */
export interface LoggedJson {
  readonly type: string;
  readonly seq: number;
  readonly at: string | null;
  readonly [key: string]: unknown;
}

/** A step in `raymond show --json`: its number and its events. */
export interface StepJson {
  /** The number of its process. */
  readonly step: number;
  readonly running: boolean;
  readonly started: LoggedJson;
  readonly ended: LoggedJson | null;
  readonly after: readonly LoggedJson[];
}

/** The same with all that is known of it: `raymond show --step N --json`. */
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
  readonly open: string | null;
}

/** What `raymond show --json` prints. */
export interface TimelineJson {
  readonly workflow_id: string;
  readonly steps: readonly StepJson[];
  readonly unreadable: number;
}

/** What `raymond cost --json` prints. */
export interface CostJson {
  readonly workflow_id: string;
  readonly status: ReportJson["status"];
  readonly simulated: boolean;
  readonly budget_usd: number | null;
  readonly total_cost_usd: number;
  /** For a rerun: `cost_usd` was spent by the original run, and is not counted here. */
  readonly origin: NonNullable<StateDocument["origin"]> | null;
  readonly totals: StateDocument["totals"];
  readonly sums: {
    readonly agents: Readonly<Record<string, SumsDocument>>;
    readonly states: Readonly<Record<string, SumsDocument>>;
    readonly models: Readonly<Record<string, SumsDocument>>;
  };
}

/** What `raymond diff-runs --json` prints. */
export interface RunsDiffJson {
  readonly same: boolean;
  readonly left: ComparedJson;
  readonly right: ComparedJson;
  readonly departures: readonly {
    readonly agent: string;
    readonly same: number;
    readonly left: TakenWayJson | null;
    readonly right: TakenWayJson | null;
    readonly around: {
      readonly left: readonly TakenWayJson[];
      readonly right: readonly TakenWayJson[];
    };
  }[];
  readonly states: readonly {
    readonly state: string;
    readonly left: SumsDocument;
    readonly right: SumsDocument;
  }[];
  readonly other_results: readonly string[];
}

/** One of two runs that are compared. */
export interface ComparedJson {
  readonly workflow_id: string;
  readonly status: ReportJson["status"];
  readonly origin: SummaryJson["origin"];
  readonly goes_on: boolean;
  readonly steps: number;
  readonly attempts: number;
  readonly failures: number;
  readonly agents: number;
  readonly cost_usd: number;
  readonly worked_ms: number;
  readonly elapsed_ms: number;
  readonly totals: SumsDocument;
}

/** A step that has moved its agent, or ended it, and where it led. */
export interface TakenWayJson {
  readonly step: number;
  readonly state: string;
  readonly way: string;
}
