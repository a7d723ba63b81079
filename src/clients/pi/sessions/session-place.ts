import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "../../../machine/agent.ts";
import { type ConversationPlace, sizeOf } from "../../common/conversations/conversation-files.ts";

/** pi's own folder: settings, credentials and conversations. `home`: the user's home folder. */
export function agentFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const set = env["PI_CODING_AGENT_DIR"] ?? "";
  if (set === "") return path.join(home, ".pi", "agent");
  return set.replace(/^~(?=$|[/\\])/, home);
}

/** pi's folder name for the conversations of a working folder, a path without links (measured). */
export function projectFolder(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

/**
 * Finds a conversation: in the folder of `cwd`, else in that of any other folder, since it stays where it started. The
 * names are those of raymond: pi identifies a conversation by its first line.
 */
export async function findSession(
  agent: string,
  cwd: string,
  session: SessionId,
): Promise<ConversationPlace> {
  const sessions = path.join(path.resolve(cwd, agent), "sessions");
  const file = `${session}.jsonl`;
  const real = await realpath(cwd).catch(() => cwd);
  const first = path.join(sessions, projectFolder(real), file);
  const size = await sizeOf(first);
  if (size !== null) return { file: first, size };
  for (const folder of await readdir(sessions).catch(() => [])) {
    const other = path.join(sessions, folder, file);
    const found = await sizeOf(other);
    if (found !== null) return { file: other, size: found };
  }
  return { file: first, size: null };
}
