import type { Login } from "../common/coding-agent.ts";
import { type Asker, askClient } from "../common/probe.ts";
import { OFFLINE } from "./args.ts";

/**
 * Runs `pi --list-models`, which lists the models with credentials and calls none (docs/pi.md, "Credentials"). When `done`
 * aborts, the result is `unknown`.
 */
export async function askLogin(command: string, asker: Asker, done?: AbortSignal): Promise<Login> {
  const offline = { ...asker, env: { ...OFFLINE, ...asker.env } };
  const { exitCode, stdout } = await askClient(command, ["--list-models"], offline, done);
  if (exitCode !== 0) return { state: "unknown" };
  return readLogin(stdout);
}

/** Parses the table of `pi --list-models`. Without credentials, pi prints only a text on standard error. */
export function readLogin(stdout: string): Login {
  const [head = "", ...rows] = stdout.split("\n").filter((line) => line.trim() !== "");
  if (!/^provider\s+model\s/.test(head) || rows.length === 0) return { state: "out" };
  const providers = new Set(rows.map((row) => row.split(/\s+/)[0]));
  return { state: "in", method: [...providers].join(", ") };
}
