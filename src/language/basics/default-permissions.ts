/** What the client permits at each level, as measured (docs/permissions.md, "Permissions"). */
export const LEVEL_PERMISSIONS = {
  "read-only":
    "read files and run commands that only read; changes of files and other commands are denied",
  edit: "read, create, change and delete files below the folder of the run, also with rm, mv, cp, sed -i and redirections, and run read-only git commands; other commands are denied",
  full: "do anything without asking: permissions are skipped",
} as const;

/** What the model cannot change unless `protect_workflow` is off. */
export const PROTECTED_FILES = "the workflow's files, the state folder and config.toml";
