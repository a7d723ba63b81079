import path from "node:path";
import type { SessionId } from "../../../machine/model/agent.ts";
import {
  type ConversationPlace,
  findInFolders,
} from "../../common/conversations/conversation-files.ts";

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

/** Finds a conversation. The names are those of raymond: pi identifies a conversation by its first line. */
export function findSession(
  agent: string,
  cwd: string,
  session: SessionId,
): Promise<ConversationPlace> {
  return findInFolders(path.resolve(cwd, agent, "sessions"), cwd, session, projectFolder);
}
