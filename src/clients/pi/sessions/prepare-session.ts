import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../../language/basics/error-code.ts";
import type { Session, SessionId } from "../../../machine/model/agent.ts";
import { type Failure, failure } from "../../../machine/model/failure.ts";
import { lostSession, requireId, sessionInUse } from "../../common/call-failures.ts";
import type { ConversationPlace } from "../../common/conversations/conversation-files.ts";
import { parseObject, textAt } from "../../common/json-fields.ts";
import { renamed } from "./session-store.ts";

type Find = (session: SessionId) => Promise<ConversationPlace>;

export type PreparedSession =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Prepares the file of a conversation before a call (docs/pi.md, "Conversations").
 *
 * S1  A new conversation gets its first line here. pi itself would write nothing before its first answer, and a kill would
 *     lose the prompt. That line has no `cwd`, so the conversation continues in the folder of each call.
 * S2  A branch is a copy, which leaves its source unchanged.
 * S3  A conversation to continue must exist: pi would start another one without a notice.
 */
export async function prepareSession(
  session: Session,
  find: Find,
  now: number,
): Promise<PreparedSession> {
  try {
    switch (session.mode) {
      case "fresh":
        return await create(requireId(session), find, (id) => firstLine(id, now));
      case "branch": {
        const { source } = session;
        const from = await existing(source, find);
        if (from === null) return lost(source);
        return await create(requireId(session), find, (as) => copyOf(from, as, source));
      }
      case "resume": {
        const file = await existing(session.id, find);
        return file === null ? lost(session.id) : { ok: true, file };
      }
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Cannot write the conversation of pi: ${reason}.`;
    return { ok: false, failure: failure("crash", message, "Check its folder and free space.") };
  }
}

async function create(
  id: SessionId,
  find: Find,
  content: (id: SessionId) => string | Promise<string>,
): Promise<PreparedSession> {
  const { file } = await find(id);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, await content(id), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return { ok: false, failure: sessionInUse(`Conversation ${id} of pi already exists.`) };
  }
  return { ok: true, file };
}

function firstLine(id: SessionId, now: number): string {
  const timestamp = new Date(now).toISOString();
  return `${JSON.stringify({ type: "session", version: 3, id, timestamp })}\n`;
}

/** The file of a conversation; null if it is lost. */
async function existing(id: SessionId, find: Find): Promise<string | null> {
  const { file, size } = await find(id);
  if (size === null) return null;
  const [first = ""] = (await startOf(file)).split("\n");
  return textAt(parseObject(first) ?? {}, "type") === "session" ? file : null;
}

async function startOf(file: string): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_FIRST_LINE));
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await handle.close();
  }
}

/** Maximum length of the first line, bytes. It may contain the path of a folder. */
const MAX_FIRST_LINE = 16 * 1024;

/** A kill may have torn the last line. */
async function copyOf(file: string, as: SessionId, source: SessionId): Promise<string> {
  const text = await readFile(file, "utf8");
  return renamed(as, source)(text.slice(0, text.lastIndexOf("\n") + 1));
}

function lost(id: SessionId): PreparedSession {
  return { ok: false, failure: lostSession("pi", id, "the folder of pi (PI_CODING_AGENT_DIR)") };
}
