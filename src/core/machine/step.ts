import type { MicroUsd } from "../money.ts";
import { fullName } from "../protocol/address.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "../workflow/platform.ts";
import type { StateFile } from "../workflow/state-file.ts";
import type { Agent } from "./agent.ts";
import type { BackendFacts } from "./backend-facts.ts";
import type { RunId, RunSettings } from "./run-state.ts";

/** One state to be executed once for one agent: all that an executor may know, as data. */
export interface Step {
  readonly run: RunId;
  readonly agent: Agent;
  readonly file: StateFile;
  /** Absolute path of the state's own file, by which a script is started. */
  readonly path: string;
  /** Absolute path of the file that messages name: one may hold many states. */
  readonly source: string;
  /** Absolute path of the folder that holds the states. */
  readonly scopeDir: string;
  /** The states that a transition may reach. */
  readonly names: readonly StateName[];
  readonly platform: Platform;
  readonly settings: RunSettings;
  /** The attributes that a script does not get as environment variables of their own names. */
  readonly withheld: readonly string[];
  /** What answers the prompts of the run. */
  readonly backend: BackendFacts;
  /** Absolute: the agent's `cwd`, else the launch folder. */
  readonly cwd: string;
  /** Run-wide number of this process. */
  readonly process: number;
  /** 1, or more when this step may have been started before. */
  readonly attempt: number;
  /** Carried in the environment of every process of this step. */
  readonly token: string;
  /** The session this attempt uses; its id is made and saved. Scripts: the agent's, untouched. */
  readonly session: Agent["session"];
  /** What the client may spend on this attempt, micro-dollars; null without a budget. */
  readonly capMicroUsd: MicroUsd | null;
  /** Tokens that its conversation is known to hold before it (`expectedTokens`); absent: none. */
  readonly contextTokens?: number;
  /** When a prompt step's own `timeout` ends; null: never. Scripts have it in `file`. */
  readonly deadline: Deadline | null;
  /** The tags that wait for this step, which is their gate, as text; null for any other. */
  readonly gated: string | null;
  /** Absolute paths of files and folders that the model must not change; of a script step: none. */
  readonly deniedPaths: readonly string[];
}

/** The end of a step's own time, over all its attempts. */
export interface Deadline {
  /** Ms as `elapsed` of the clock gives them. */
  readonly at: number;
  /** The timeout as declared, ms. */
  readonly limitMs: number;
}

/** The full name of the state that a step executes. */
export function nameOfStep({ agent: { workflow }, file }: Pick<Step, "agent" | "file">): string {
  return fullName({ workflow, state: file.name });
}
