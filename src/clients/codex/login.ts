import { homedir } from "node:os";
import path from "node:path";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import type { Login } from "../common/coding-agent.ts";
import { type Asker, askClient } from "../common/probe.ts";
import { codexHome } from "./rollouts/rollout-place.ts";

/**
 * Runs `codex login status`, which costs nothing (docs/codex.md, "Login"). It does not know CODEX_API_KEY, which `codex
 * exec` uses. When `done` aborts, the result is `unknown`.
 */
export async function askCodexLogin(
  command: string,
  asker: Asker,
  done?: AbortSignal,
): Promise<Login> {
  if ((asker.env["CODEX_API_KEY"] ?? "") !== "") return { state: "in", method: "CODEX_API_KEY" };
  const config = path.resolve(
    asker.cwd,
    codexHome(asker.env, asker.env["HOME"] ?? homedir()),
    "config.toml",
  );
  const text = await readTextFile(config, LIMITS.small).catch(() => "");
  if (/^\s*model_provider\s*=/m.test(text)) return { state: "unknown", reason: OTHER };
  const { exitCode } = await askClient(command, ["login", "status"], asker, done);
  if (exitCode === 0) return { state: "in", method: "codex login" };
  return exitCode === 1 ? { state: "out" } : { state: "unknown" };
}

const OTHER = "config.toml selects another provider";
