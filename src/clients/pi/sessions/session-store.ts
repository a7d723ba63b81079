import type { PastCall } from "../../../engine/ports/backend.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import type {
  CallFiles,
  ConversationStore,
} from "../../common/conversations/conversation-store.ts";
import { textAt } from "../../common/json-fields.ts";
import { RecoveredSessionReader } from "./recovered-session-reader.ts";
import { readLines, renamed } from "./session-lines.ts";
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
      await readLines(file, since, (line) => {
        reader.line(line);
      });
      return reader.recollection(false).hasPrompt;
    },
    renamed,
  };
}

async function readCall(call: PastCall, files: CallFiles) {
  const { byHand, model = null, contextTokens = 0 } = call;
  const { file, lost, size, kept } = files;
  const { start, isOwn } = await partOf(call, files);
  // The part that was copied before the call is not of the call.
  const isOlder = byHand !== true && !lost && kept !== null && kept < (size ?? 0);
  const reader = new RecoveredSessionReader({ model, chars: 0, contextTokens });
  await readLines(file, start ?? (isOlder ? kept : 0), (line) => {
    if (isOwn(line)) reader.line(line);
  });
  return reader.recollection(lost);
}

/** The first byte of the lines of a call (null: unknown), and a filter for them. */
async function partOf({ since, part }: PastCall, { source }: CallFiles) {
  if (part !== undefined && "from" in part) return { start: part.from, isOwn: () => true };
  const isLater = (line: JsonObject): boolean =>
    Date.parse(textAt(line, "timestamp") ?? "") >= since;
  const copied = source === null ? null : await entryIds(source);
  if (copied === null) return { start: null, isOwn: isLater };
  return { start: null, isOwn: (line: JsonObject) => !copied.has(textAt(line, "id") ?? "") };
}

/** The ids of all entries of a conversation, which its branches keep; null if it cannot be read. */
async function entryIds(file: string): Promise<ReadonlySet<string> | null> {
  const ids = new Set<string>();
  const read = readLines(file, 0, (line) => {
    const id = textAt(line, "id");
    if (id !== null) ids.add(id);
  });
  return read.then(
    () => ids,
    () => null,
  );
}
