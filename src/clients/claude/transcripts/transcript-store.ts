import path from "node:path";
import type { PastCall } from "../../../engine/ports/backend.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import { filesIn, sizeOf, withoutEnding } from "../../common/conversations/conversation-files.ts";
import {
  eachLine,
  partOf,
  someLine,
  unknownStart,
  writtenSince,
} from "../../common/conversations/conversation-lines.ts";
import type {
  CallFiles,
  ConversationStore,
} from "../../common/conversations/conversation-store.ts";
import { parseObject, textAt } from "../../common/json-fields.ts";
import { RecoveredSessionReader } from "./recovered-session-reader.ts";
import { clientHome, findTranscript } from "./transcript-place.ts";

/** The transcripts of Claude Code. `env`: of the client. `home`: the user's home folder. */
export function transcriptStore(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): ConversationStore {
  return {
    backend: "claude",
    find: (session, cwd) => findTranscript(clientHome(env, home), cwd, session),
    read: readCall,
    hasPrompt: async (file, since) => {
      const reader = new RecoveredSessionReader(() => true);
      await eachLine(file, since, reader.file());
      return reader.recollection(false).hasPrompt;
    },
    hasInput: (file, since) =>
      someLine(file, since, (line) => textAt(parseObject(line) ?? {}, "type") === "user"),
    // Only the key of a line: in texts, quotes are escaped.
    renamed: (as, session) => (lines) =>
      lines.replaceAll(`"sessionId":"${session}"`, `"sessionId":"${as}"`),
  };
}

async function readCall(call: PastCall, files: CallFiles) {
  const { model = null, contextTokens = 0, since } = call;
  const { file, lost, kept, copy } = files;
  const { start, isOwn } = await partOf(call, files, "uuid");
  const reader = new RecoveredSessionReader(isOwn, { model, chars: 0, contextTokens });
  // If the copies are of the start of the call, their sizes show what subagents wrote before it.
  const sides = start !== null && start === (kept ?? 0) ? copy : null;
  await readSubagents(file, reader, sides, writtenSince(since));
  await eachLine(file, start ?? unknownStart(call, files), reader.file());
  return reader.recollection(lost);
}

/** The part of the transcripts of subagents that their copies in `sides` lack, or (null) the lines that match `isOwn`. */
async function readSubagents(
  transcript: string,
  to: RecoveredSessionReader,
  sides: string | null,
  isOwn: (line: JsonObject) => boolean,
): Promise<void> {
  const folder = withoutEnding(transcript);
  for (const side of await filesIn(folder)) {
    if (!side.endsWith(".jsonl")) continue;
    const kept = sides === null ? 0 : ((await sizeOf(path.join(sides, side))) ?? 0);
    await eachLine(path.join(folder, side), kept, sides === null ? to.file(isOwn) : to.file());
  }
}
