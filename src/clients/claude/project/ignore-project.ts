/**
 * How a call ignores the settings of the project (docs/claude.md, "Settings of the project"). Without the source
 * `project`, both versions also ignore CLAUDE.md. They load that of additional folders, and the working folder as one
 * grants no permission.
 */
export const IGNORE_PROJECT = {
  args: ["--setting-sources=user", "--add-dir=."],
  env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" },
} as const;
