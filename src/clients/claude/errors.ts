import { defineErrors } from "../../language/basics/errors.ts";
import { clientErrors } from "../common/client-errors.ts";
import type { Program } from "../common/exit-failure.ts";

export const CLAUDE: Program = {
  name: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
};

export const claudeErrors = {
  ...clientErrors(CLAUDE, "Run `claude` once and log in, or set ANTHROPIC_API_KEY."),
  ...defineErrors({
    "claude/root-without-sandbox": () => ({
      message: "claude refuses --dangerously-skip-permissions as root.",
      hint: "Run raymond as another user, or set IS_SANDBOX=1 inside a disposable container.",
    }),
  }),
};
