import path from "node:path";

/** Whether a call may load the settings of the project in its working folder. */
export type ProjectAccess =
  | { readonly kind: "load" }
  /** `warning`: why, to show once; null if the user has decided so. */
  | { readonly kind: "ignore"; readonly warning: string | null };

/** A file of a project that makes the client execute or permit something. */
export interface ExecutingFile {
  /** Relative to the inspected folder. */
  readonly name: string;
  /** In lower-case hex; empty for a file that cannot be read. */
  readonly sha256: string;
  /** Not empty. */
  readonly statements: readonly string[];
}

/** The settings that a project brings for a client (docs/trust.md, "Trusting a project"). */
export interface ProjectSettings {
  /** The inspected folder, with links resolved. */
  readonly folder: string;
  readonly executing: readonly ExecutingFile[];
}

/** From a folder up to the root. */
export function withParents(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
