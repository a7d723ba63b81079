/** Whether a call may load the settings of the project in its working folder. */
export type ProjectAccess =
  | { readonly kind: "load" }
  /** `warning`: why, to show once; null if the user has decided so. */
  | { readonly kind: "ignore"; readonly warning: string | null };

/**
 * How a call ignores them (docs/claude.md, "Settings of the project"). Without the source `project`, both versions
 * also ignore CLAUDE.md. They load that of additional folders, and the working folder as one grants no permission.
 */
export const IGNORE_PROJECT = {
  args: ["--setting-sources=user", "--add-dir=."],
  env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" },
} as const;
