import type { Position } from "../place.ts";
import type { Tag } from "../protocol/transition.ts";

/** One entry of `allowed_transitions`, as its author wrote it: names are not resolved yet. */
export interface Rule {
  readonly tag: Tag;
  readonly target?: string;
  readonly returnTo?: string;
  readonly next?: string;
  /** `cd` and, for `fork`, the further attributes; an empty value means "any value, but present". */
  readonly attributes: Readonly<Record<string, string>>;
  /** Where it stands in its file. */
  readonly at: Position;
}
