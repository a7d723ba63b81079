/** The default permissions of the client, as measured (docs/security.md). */
export const DEFAULT_PERMISSIONS =
  "read, create, change and delete files below the folder of the run, also with rm, mv, cp, sed -i and redirections, and run read-only git commands; other commands are denied";

/** What the model cannot change unless `protect_workflow` is off. */
export const PROTECTED_FILES = "the workflow's files, the state folder and config.toml";
