import type { MicroUsd } from "../../language/basics/money.ts";
import { fullName } from "../../language/protocol/address.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";
import type { BackendFacts } from "../backends/backend-facts.ts";
import type { Agent } from "../model/agent.ts";
import type { Grant } from "../model/denial.ts";
import type { RunId, RunSettings } from "../model/run-state.ts";
import type { CallPermissions } from "./permissions.ts";
import type { StepEnvironment } from "./step-environment.ts";

/** One attempt to execute a state: the input of an executor. */
export interface Step {
  readonly run: RunId;
  readonly agent: Agent;
  readonly file: StateFile;
  /** Absolute path of the state file. */
  readonly path: string;
  /** Absolute path of the file for messages: one file can contain many states. */
  readonly source: string;
  /** Absolute path of the folder that holds the states. */
  readonly scopeDir: string;
  /** The states that a transition may reach. */
  readonly names: readonly StateName[];
  readonly platform: Platform;
  readonly settings: RunSettings;
  /** Attributes that are not environment variables of the script. */
  readonly withheld: readonly string[];
  /** What the step receives from the environment of raymond. */
  readonly environment: StepEnvironment;
  readonly backend: BackendFacts;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute: the folder in which the run was started, or its copy in the worktree of the agent. */
  readonly launchDir: string;
  /** The top-level folder of the worktree of the agent or the run; absent: it works in the checkout. */
  readonly worktree?: string | undefined;
  /** Run-wide number of this process. */
  readonly process: number;
  /** From 1. */
  readonly attempt: number;
  /** In the environment of every process of this step. */
  readonly token: string;
  /** The session of this attempt, with a saved id. Not used by scripts. */
  readonly session: Agent["session"];
  /** Cost limit of this attempt; null without a budget. */
  readonly capMicroUsd: MicroUsd | null;
  /** Known tokens of the conversation before the attempt (`expectedTokens`). */
  readonly contextTokens?: number;
  /** End of the `timeout` of a prompt; null: none. Scripts use `file`. */
  readonly deadline: Deadline | null;
  /** The tags that wait for this gate; null if it is not a gate. */
  readonly gated: string | null;
  /** Of a prompt, with absolute paths; null for scripts. */
  readonly permissions: CallPermissions | null;
  /** Absolute paths that the model or a sandboxed script must not change. */
  readonly deniedPaths: readonly string[];
  /** Names that the model must not add or change; absent: none. */
  readonly deniedNames?: readonly DeniedName[];
  /** Tool calls that a person has allowed; absent: none. */
  readonly grants?: readonly Grant[];
}

/** Files and folders by their name, whether they exist or not. */
export interface DeniedName {
  /** Absolute. */
  readonly folder: string;
  /** Relative to the folder, with the wildcards `*` and `**`. */
  readonly glob: string;
}

/** The timeout of a step over all attempts. */
export interface Deadline {
  /** Ms on the `elapsed` clock. */
  readonly at: number;
  /** The declared timeout, ms. */
  readonly limitMs: number;
}

export function nameOfStep({ agent: { workflow }, file }: Pick<Step, "agent" | "file">): string {
  return fullName({ workflow, state: file.name });
}
