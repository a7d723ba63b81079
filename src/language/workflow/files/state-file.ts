import type { MicroUsd } from "../../basics/money.ts";
import { type Position, placeText } from "../../basics/place.ts";
import type { DeclaredPermissions } from "../../permissions/declared.ts";
import type { StateName } from "../../protocol/transition.ts";
import type { DeclaredEnvironment } from "../policy/declared-environment.ts";
import type { Rule } from "../policy/rule.ts";
import type { Sandbox } from "../policy/sandbox.ts";

/** Reasoning effort, passed to the client. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** Reaction to denied tool calls, in order of strictness (docs/permissions.md, "Denied tool calls"). */
export const ON_DENIED = ["continue", "ask", "fail"] as const;
export type OnDenied = (typeof ON_DENIED)[number];

/** The id of a lint rule. A run reports the same problem with the same id (docs/lint.md). */
export type RuleId = `RAY${number}`;

/** A problem of a state file that does not stop a run. */
export interface FileWarning {
  readonly line: number;
  readonly message: string;
  /** Default: RAY104, an unknown key. */
  readonly rule?: RuleId;
}

/** A problem that stops a run at this state. */
export interface FileProblem {
  readonly at: Position;
  readonly message: string;
  readonly hint: string;
}

/** A problem that both lint and a run report, with the same rule. */
export interface StateProblem extends FileProblem {
  readonly rule: RuleId;
}

/** A problem with its position. */
export function describeProblem(path: string, { at, message }: FileProblem): string {
  return `${placeText(path, at)}: ${message}`;
}

/** The text of a state: a prompt without front matter and leading blank lines, or a whole script. */
export interface StateText {
  /** With unfilled placeholders. */
  readonly body: string;
  readonly bodyLine: number;
  /** The column at which each line starts: above 1 in a workflow in one file. */
  readonly bodyColumn: number;
}

interface CommonFile extends StateText {
  readonly name: StateName;
  /** Of a prompt: wall-clock time of the step over all attempts. Of a script: of each attempt. ms; null: no timeout. */
  readonly timeoutMs: number | null;
  /** Visits of this state before the run stops; null: no limit. */
  readonly maxVisits: number | null;
  readonly env: DeclaredEnvironment;
  /** Null: the run's sandbox alone applies. */
  readonly sandbox: Sandbox | null;
  readonly warnings: readonly FileWarning[];
}

/** A `.md` state (docs/authoring.md, "Front matter"). */
export interface PromptFile extends CommonFile {
  readonly kind: "prompt";
  /** Null without `allowed_transitions`: everything is allowed. */
  readonly rules: readonly Rule[] | null;
  /** Names of coding agents, preferred ones first; null: those of the workflow or the settings. */
  readonly agents: readonly string[] | null;
  readonly model: string | null;
  readonly effort: Effort | null;
  /** The model that the client uses while `model` is overloaded. */
  readonly fallbackModel: string | null;
  readonly maxTurns: number | null;
  /** Null: the setting applies. */
  readonly onDenied: OnDenied | null;
  /** For all visits of this state in a run; null: no limit. */
  readonly budgetMicroUsd: MicroUsd | null;
  /** Size limit of the conversation when the state is entered; null: no limit. */
  readonly context: MaxContext | null;
  readonly permissions: DeclaredPermissions;
  /** Lists in the words of the coding agent. */
  readonly tools: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  /** MCP servers that must be connected before the prompt is sent. */
  readonly requiredServers: readonly string[];
}

/** `max_context` with its `on_context`: the state to enter instead, as written. */
export interface MaxContext {
  readonly limit: ContextLimit;
  readonly target: string;
  readonly at: Position;
}

export type ContextLimit =
  | { readonly kind: "tokens"; readonly tokens: number }
  /** Share of the context window of the model: above 0, at most 1. */
  | { readonly kind: "share"; readonly share: number };

/** A `.sh`, `.bat` or `.ps1` state (docs/authoring.md, "Directive comment"). */
export interface ScriptFile extends CommonFile {
  readonly kind: "script";
  /** Retries of a failed attempt. */
  readonly retries: number;
  /** Delay before the first retry, ms; doubles with each retry. */
  readonly backoffMs: number;
  /** The state to enter instead of failing, with the error as the pending result. */
  readonly onError: OnError | null;
  /** The schema file for its `<result>`. */
  readonly schema?: { readonly name: string; readonly at: Position };
  /** The image of its container; null: that of the run, if any. */
  readonly container: string | null;
}

export interface OnError {
  readonly target: string;
  readonly at: Position;
}

/** One state as its author wrote it. */
export type StateFile = PromptFile | ScriptFile;

/** The kind of a state, by the extension of its resolved name. */
export function stateKind(name: StateName): StateFile["kind"] {
  return name.endsWith(".md") ? "prompt" : "script";
}
