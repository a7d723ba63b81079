import type { Address } from "./address.ts";
import { TAG_TABLE } from "./tag-table.ts";

/** The file name of a state: `REVIEW.md`. */
export type StateName = string;

type Table = typeof TAG_TABLE;

export type Tag = keyof Table;
export const TAGS: readonly Tag[] = Object.keys(TAG_TABLE).filter(isTag);

/**
 * A parsed tag: one variant per tag, with a field for its content and one for each of its own
 * attributes: `{ tag: "call", target, returnTo }`, `{ tag: "reset", target, cd? }`.
 */
export type Transition = { [T in Tag]: Variant<T> }[Tag];

type Variant<T extends Tag> = Flat<
  { readonly tag: T } & {
    readonly [F in Extract<Part<T>, { required: true }>["field"]]: string;
  } & { readonly [F in Exclude<Part<T>, { required: true }>["field"]]?: string } & DataOf<T> &
    Entering<T> &
    Returning<T> &
    Starting<T>
>;

type StartTag = {
  [T in Tag]: Table[T] extends { readonly startsAgent: true } ? T : never;
}[Tag];

/** Starts an agent. An output can have many. */
export type Start = Extract<Transition, { tag: StartTag }>;
/** Continues or ends the agent that emitted it. An output has exactly one. */
export type Continuation = Exclude<Transition, Start>;

export function isStart(transition: Transition): transition is Start {
  return TAG_TABLE[transition.tag].startsAgent;
}

type DataOf<T extends Tag> = Table[T] extends { readonly startsAgent: true }
  ? { readonly attributes: Data }
  : unknown;

/** The data of the agent that a tag starts: attributes that the tag does not declare. */
export type Data = Readonly<Record<string, string>>;

/** The entry state of another workflow: set once the path is resolved. */
type Entering<T extends Tag> = Table[T] extends { readonly content: { holds: "workflow" } }
  ? { readonly entry?: Address }
  : unknown;

/** The schema of the rule that allowed a call: the returned result must match it. */
type Returning<T extends Tag> = "returnTo" extends Part<T>["field"]
  ? { readonly schema?: string }
  : unknown;

/** The place of the new agent's worktree: set once the files of the forking agent are kept. */
type Starting<T extends Tag> = Table[T] extends { readonly startsAgent: true }
  ? { readonly place?: WorktreePlace }
  : unknown;

/** Where the worktree of a new agent is created. */
export interface WorktreePlace {
  /** The git directory that all working trees of the repository share: absolute. */
  readonly repository: string;
  /** The folder that gets the worktree: absolute. */
  readonly parent: string;
  /** The commit that its branch starts from. */
  readonly base: string;
  /** The folder of the agent in its worktree; empty: the top. */
  readonly inside: string;
  /** The top of the working tree of the forking agent: absolute. */
  readonly origin: string;
  /** Files to copy from there, relative to it. */
  readonly copy: readonly string[];
  /** The script that runs before the first step; null: none. */
  readonly setup: StateName | null;
}

/** A transition to another workflow. */
export type WorkflowTransition = Extract<Transition, { path: string }>;

export function isWorkflowTransition(transition: Transition): transition is WorkflowTransition {
  return TAG_TABLE[transition.tag].content.holds === "workflow";
}

/** The declaration of the content or an own attribute of a tag. */
export type Part<T extends Tag = Tag> = Table[T]["content"] | Table[T]["attributes"][number];

export type Field = Part["field"];
export type StateField = Extract<Part, { holds: "state" }>["field"];
export type WorkflowField = Extract<Part, { holds: "workflow" }>["field"];
export type TextField = Extract<Part, { holds: "text" | "worktree" }>["field"];

/** Flattens an intersection for display in editors. */
type Flat<T> = { [K in keyof T]: T[K] };

function isTag(word: string): word is Tag {
  return Object.hasOwn(TAG_TABLE, word);
}
