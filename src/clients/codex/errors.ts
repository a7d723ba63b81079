import { clientErrors } from "../common/client-errors.ts";
import type { Program } from "../common/exit-failure.ts";

export const CODEX: Program = { name: "codex", install: "npm install -g @openai/codex" };

/** How to log in. */
export const LOG_IN = "Run: codex login. Or set CODEX_API_KEY.";

export const codexErrors = clientErrors(CODEX, LOG_IN);
