import type { PastCall } from "../../../engine/ports/backend.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import type {
  CallFiles,
  ConversationStore,
} from "../../common/conversations/conversation-store.ts";
import { textAt } from "../../common/json-fields.ts";
import { lineIds, readAll, readLines } from "./read-transcript.ts";
import { RecoveredSessionReader, writtenSince } from "./recovered-session-reader.ts";
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
      await readLines(file, since, reader.file());
      return reader.recollection(false).hasPrompt;
    },
    // Only the key of a line: in texts, quotes are escaped.
    renamed: (as, session) => (lines) =>
      lines.replaceAll(`"sessionId":"${session}"`, `"sessionId":"${as}"`),
  };
}

async function readCall(call: PastCall, files: CallFiles) {
  const { byHand, model = null, contextTokens = 0, since } = call;
  const { file, lost, size, kept, copy } = files;
  const { start, isOwn } = await partOf(call, files);
  const reader = new RecoveredSessionReader(isOwn, { model, chars: 0, contextTokens });
  // The part that was copied before the call is not of the call.
  const isOlder = byHand !== true && !lost && kept !== null && kept < (size ?? 0);
  const skipped = start ?? (isOlder ? kept : 0);
  // If the copies are of the start of the call, their sizes show what subagents wrote before it.
  const sides = start !== null && start === (kept ?? 0) ? copy : null;
  await readAll(file, skipped, reader, sides, writtenSince(since));
  return reader.recollection(lost);
}

/** The first byte of the lines of a call (null: unknown), and a filter for them. */
async function partOf({ since, part }: PastCall, { source }: CallFiles) {
  if (part !== undefined && "from" in part) return { start: part.from, isOwn: () => true };
  const copied = source === null ? null : await lineIds(source);
  if (copied === null) return { start: null, isOwn: writtenSince(since) };
  return { start: null, isOwn: (line: JsonObject) => !copied.has(textAt(line, "uuid") ?? "") };
}
