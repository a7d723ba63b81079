import type { Level } from "./permission.ts";

/** What prompts may do at a level, as a coding agent enforces it (docs/permissions.md, "Permissions"). */
export interface LevelFacts {
  /** As a clause after "may". */
  readonly may: string;
  /** The files of the workflow are protected from changes, unless `protect_workflow` is off. */
  readonly protects: boolean;
}

export type LevelsOfAgent = Readonly<Record<Level, LevelFacts>>;
