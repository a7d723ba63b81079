import type { Tag } from "./transition.ts";

/**
 * One tag as it stands in a text: an opening tag with its closing tag
 * (docs/protocol.md, "Grammar").
 */
export interface Element {
  readonly tag: Tag;
  /** In the order written, entities decoded; a repeated name is kept here and is malformed. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Raw content between the tags; empty for `<result/>`. */
  readonly content: string;
  /** Set where the attributes could not be read, as a clause: `the attribute foo has no value`. */
  readonly problem?: string;
}

/** What was found in one output, before it is known whether that is a valid row of transitions. */
export interface Reading {
  /** All elements in the order of the text, as far as they are neither too many nor too long together. */
  readonly elements: readonly Element[];
  /** How many elements there were in all. */
  readonly count: number;
  /** An opening tag that was never closed, where there is no element at all. */
  readonly unclosed: Tag | null;
  /** True when a payload passed {@link MAX_PAYLOAD_CHARS} and was given up. */
  readonly oversized: boolean;
}

/**
 * The longest element that is read, in UTF-16 units: 16 MiB of ASCII
 * (docs/protocol.md, "Grammar").
 */
export const MAX_PAYLOAD_CHARS = 16 * 1024 * 1024;
