import type { Tag } from "../transition.ts";

/** An opening tag with its content and closing tag (docs/protocol.md, "Grammar"). */
export interface Element {
  readonly tag: Tag;
  /** In source order, entities decoded. Duplicate names are kept and reported later. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Raw; empty for `<result/>`. */
  readonly content: string;
  /** A syntax error of the attributes, as a clause: `the attribute foo has no value`. */
  readonly problem?: string;
}

/** The elements found in one output, before validation. */
export interface ScanResult {
  /** In source order, up to the limits of number and size. */
  readonly elements: readonly Element[];
  /** All elements, including those beyond the limits. */
  readonly count: number;
  /** An opening tag without a closing tag, if there is no element. */
  readonly unclosed: Tag | null;
  /** An element exceeded {@link MAX_PAYLOAD_CHARS}. */
  readonly oversized: boolean;
}

/** UTF-16 units of an element: 16 MiB of ASCII (docs/protocol.md, "Grammar"). */
export const MAX_PAYLOAD_CHARS = 16 * 1024 * 1024;
