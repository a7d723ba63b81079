import type { Address } from "./address.ts";
import { TAG_TABLE } from "./tag-table.ts";

/** The name of a state: a file name inside the workflow's scope, such as `REVIEW.md`. */
export type StateName = string;

type Table = typeof TAG_TABLE;

/** The words of the workflow language (docs/protocol.md). */
export type Tag = keyof Table;
export const TAGS: readonly Tag[] = Object.keys(TAG_TABLE).filter(isTag);

/**
 * What a state asks for next: one variant for each tag, with a field for its
 * content and one for each attribute of its own: `{ tag: "call", target, returnTo }`,
 * `{ tag: "reset", target, cd? }`. `docs/protocol.md` is the authority on each tag.
 */
export type Transition = { [T in Tag]: Variant<T> }[Tag];

type Variant<T extends Tag> = Flat<
  { readonly tag: T } & {
    readonly [F in Extract<Part<T>, { required: true }>["field"]]: string;
  } & { readonly [F in Exclude<Part<T>, { required: true }>["field"]]?: string } & DataOf<T> &
    Entering<T>
>;

type StartTag = {
  [T in Tag]: Table[T] extends { readonly startsAgent: true } ? T : never;
}[Tag];

/** What starts an agent: an output may hold many. */
export type Start = Extract<Transition, { tag: StartTag }>;
/** What says where its own agent goes: an output says so once. */
export type Way = Exclude<Transition, Start>;

export function isStart(transition: Transition): transition is Start {
  return TAG_TABLE[transition.tag].startsAgent;
}

type DataOf<T extends Tag> = Table[T] extends { readonly takesData: true }
  ? { readonly attributes: Data }
  : unknown;

/** The data of the agent that a tag starts: the attributes that are not the tag's own. */
export type Data = Readonly<Record<string, string>>;

/**
 * Where a path leads, once somebody has looked: what is applied has it, and what
 * was only read does not.
 */
type Entering<T extends Tag> = Table[T] extends { readonly content: { holds: "workflow" } }
  ? { readonly entry?: Address }
  : unknown;

/** What goes to another workflow. */
export type Crossing = Extract<Transition, { path: string }>;

export function isCrossing(transition: Transition): transition is Crossing {
  return TAG_TABLE[transition.tag].content.holds === "workflow";
}

/** What is declared of a content, or of an attribute of a tag's own. */
export type Part<T extends Tag = Tag> = Table[T]["content"] | Table[T]["attributes"][number];

/** The fields that hold these parts, each a text. */
export type Field = Part["field"];
export type StateField = Extract<Part, { holds: "state" }>["field"];
export type WorkflowField = Extract<Part, { holds: "workflow" }>["field"];
export type TextField = Extract<Part, { holds: "text" }>["field"];

/** The same type, as an editor should show it. */
type Flat<T> = { [K in keyof T]: T[K] };

function isTag(word: string): word is Tag {
  return Object.hasOwn(TAG_TABLE, word);
}
