import { defineErrors } from "../../language/basics/errors.ts";

export const claudeErrors = defineErrors({
  "claude/not-found": (client: string, onPath: boolean) => ({
    message: onPath ? `Cannot find "${client}" on PATH.` : `Cannot find the client ${client}.`,
    hint: "Install it with: npm install -g @anthropic-ai/claude-code. Or set its path with --claude PATH or RAYMOND_CLAUDE.",
  }),

  /** `exitCode` of `--version`; null: it did not run. */
  "claude/unusable": (path: string, exitCode: number | null | "not executable") => {
    if (exitCode === "not executable") {
      return {
        message: `Cannot run the client: ${path} is not executable.`,
        hint: `Run: chmod +x ${path}. Or set another path with --claude PATH or RAYMOND_CLAUDE.`,
      };
    }
    const how = exitCode === null ? "cannot be run" : `failed with exit code ${String(exitCode)}`;
    return {
      message: `${path} --version ${how}.`,
      hint: "Run it in a terminal to see why. Reinstall the client, or set another path with --claude PATH.",
    };
  },

  "claude/not-logged-in": () => ({
    message: "claude is not logged in.",
    hint: "Run `claude` once and log in, or set ANTHROPIC_API_KEY.",
  }),
});
