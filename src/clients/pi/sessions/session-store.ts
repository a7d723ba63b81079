import type { PastCall } from "../../../engine/ports/backend.ts";
import type { SessionId } from "../../../machine/model/agent.ts";
import {
  eachObject,
  partOf,
  someLine,
  unknownStart,
} from "../../common/conversations/conversation-lines.ts";
import type {
  CallFiles,
  ConversationStore,
} from "../../common/conversations/conversation-store.ts";
import { objectAt, parseObject, textAt } from "../../common/json-fields.ts";
import { RecoveredSessionReader } from "./recovered-session-reader.ts";
import { agentFolder, findSession } from "./session-place.ts";

/** The conversations of pi. `env`: of the client. `home`: the user's home folder. */
export function sessionStore(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): ConversationStore {
  const agent = agentFolder(env, home);
  return {
    backend: "pi",
    find: (session, cwd) => findSession(agent, cwd, session),
    read: readCall,
    hasPrompt: async (file, since) => {
      const reader = new RecoveredSessionReader();
      await eachObject(file, since, (line) => {
        reader.line(line);
      });
      return reader.recollection(false).hasPrompt;
    },
    hasInput: (file, since) =>
      someLine(file, since, (text) => {
        const line = parseObject(text) ?? {};
        return (
          textAt(line, "type") === "message" && textAt(objectAt(line, "message"), "role") === "user"
        );
      }),
    renamed,
  };
}

/** Replaces the id of the first line: other ids are short, and quotes in texts are escaped. */
export function renamed(as: SessionId, session: SessionId): (lines: string) => string {
  return (lines) => lines.replaceAll(`"id":"${session}"`, `"id":"${as}"`);
}

async function readCall(call: PastCall, files: CallFiles) {
  const { model = null, contextTokens = 0 } = call;
  const { start, isOwn } = await partOf(call, files, "id");
  const reader = new RecoveredSessionReader({ model, chars: 0, contextTokens });
  await eachObject(files.file, start ?? unknownStart(call, files), (line) => {
    if (isOwn(line)) reader.line(line);
  });
  return reader.recollection(files.lost);
}
