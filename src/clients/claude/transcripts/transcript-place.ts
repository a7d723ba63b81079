import path from "node:path";
import type { SessionId } from "../../../machine/model/agent.ts";
import {
  type ConversationPlace,
  findInFolders,
} from "../../common/conversations/conversation-files.ts";

/** The client's own folder. A relative one is relative to the working directory of the call. */
export function clientHome(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return env["CLAUDE_CONFIG_DIR"] ?? path.join(home, ".claude");
}

/**
 * The client's folder name for conversations that started in `cwd`, a path without links: each UTF-16 unit other than an
 * ASCII letter or digit becomes `-`, and a long name is cut and gets a hash (measured on both versions).
 */
export function projectFolder(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME)}-${Math.abs(hash(cwd)).toString(36)}`;
}

/** Finds the transcript of a session. Clients from 2.1.223 on keep it where it started. */
export function findTranscript(
  home: string,
  cwd: string,
  session: SessionId,
): Promise<ConversationPlace> {
  return findInFolders(path.resolve(cwd, home, "projects"), cwd, session, projectFolder);
}

const MAX_NAME = 200;

function hash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return sum;
}
