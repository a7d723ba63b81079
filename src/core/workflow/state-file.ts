import type { MicroUsd } from "../money.ts";
import { type Position, placeText } from "../place.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Rule } from "./rule.ts";

/** Thinking effort, passed through to the client. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** The id of a lint rule. A run reports the same fault by the same id (docs/lint.md). */
export type RuleId = `RAY${number}`;

/** Something about a state file that its author should know, and that does not stop the run. */
export interface FileWarning {
  readonly line: number;
  readonly message: string;
  /** RAY104, a key that is not known, where it is absent. */
  readonly rule?: RuleId;
}

/** Why a state cannot do what its author has declared. */
export interface FileProblem {
  readonly at: Position;
  /** As a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** Such a problem that a run finds as well, by the rule that finds it in lint. */
export interface StateProblem extends FileProblem {
  readonly rule: RuleId;
}

/** A problem of a file as one message, with its place. */
export function describeProblem(path: string, { at, message }: FileProblem): string {
  return `${placeText(path, at)}: ${message}`;
}

/** The text of a state: a prompt without front matter and leading blank lines, a script as it stands. */
export interface StateText {
  /** Placeholders of a prompt are not yet filled. */
  readonly body: string;
  /** The line of its file in which the body begins. */
  readonly bodyLine: number;
  /** The column in which each of its lines begins: more than 1 where one file holds many states. */
  readonly bodyColumn: number;
}

/**
 * A `.md` state: what its front matter declares and the prompt below it
 * (docs/authoring.md, "Front matter").
 */
export interface PromptFile extends StateText {
  readonly kind: "prompt";
  readonly name: StateName;
  /** `null` where no `allowed_transitions` is declared: everything is allowed. */
  readonly rules: readonly Rule[] | null;
  readonly model: string | null;
  readonly effort: Effort | null;
  /** Wall clock of the step over all its attempts, ms; `null` where none is declared. */
  readonly timeoutMs: number | null;
  /** What all visits of this state together may cost in a run; null: no limit of its own. */
  readonly budgetMicroUsd: MicroUsd | null;
  /** How often a run may enter this state before it stops; null: no limit. */
  readonly maxVisits: number | null;
  /** How large a conversation may be in which this state is entered; null: as large as it likes. */
  readonly context: MaxContext | null;
  readonly tools: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  readonly warnings: readonly FileWarning[];
}

/** `max_context` with its `on_context`: the state that takes over, as written. */
export interface MaxContext {
  readonly limit: ContextLimit;
  readonly target: string;
  readonly at: Position;
}

export type ContextLimit =
  | { readonly kind: "tokens"; readonly tokens: number }
  /** Of the model's window: above 0, at most 1. */
  | { readonly kind: "share"; readonly share: number };

/**
 * A `.sh`, `.bat` or `.ps1` state, with what its directive comment says
 * (docs/authoring.md, "The directive comment").
 */
export interface ScriptFile extends StateText {
  readonly kind: "script";
  readonly name: StateName;
  readonly timeoutMs: number | null;
  /** How often a failed attempt is repeated before the step has failed. */
  readonly retries: number;
  /** Before the first retry, ms; twice as long before each further one. */
  readonly backoffMs: number;
  /** Where the agent goes instead of failing, with the error as its pending result. */
  readonly onError: OnError | null;
  readonly maxVisits: number | null;
  readonly warnings: readonly FileWarning[];
}

/** The state that takes over from a script that fails: its name and its place, as written. */
export interface OnError {
  readonly target: string;
  readonly at: Position;
}

/** One state as its author wrote it. */
export type StateFile = PromptFile | ScriptFile;

/** Which kind a state is of: the ending of its resolved name tells. */
export function stateKind(name: StateName): StateFile["kind"] {
  return name.endsWith(".md") ? "prompt" : "script";
}
