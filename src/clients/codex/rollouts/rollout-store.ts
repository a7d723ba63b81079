import type { PastCall } from "../../../engine/ports/backend.ts";
import type { SessionId } from "../../../machine/model/agent.ts";
import type { RecoveredSession } from "../../../machine/model/recovered-session.ts";
import {
  eachLine,
  someLine,
  unknownStart,
  writtenSince,
} from "../../common/conversations/conversation-lines.ts";
import type {
  CallFiles,
  ConversationStore,
} from "../../common/conversations/conversation-store.ts";
import { parseObject } from "../../common/json-fields.ts";
import { codexHome, findRollout } from "./rollout-place.ts";
import { RolloutReader } from "./rollout-reader.ts";

/** The rollouts of Codex. `env`: of the client. `home`: the user's home folder. `now`: names a new file, epoch ms. */
export function rolloutStore(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  now: () => number,
): ConversationStore {
  const hasPrompt = (file: string, since: number) => {
    const reader = new RolloutReader();
    return someLine(file, since, (line) => {
      reader.line(line);
      return reader.hasPrompt;
    });
  };
  return {
    backend: "codex",
    find: (session, cwd) => findRollout(codexHome(env, home), cwd, session, now()),
    read: readCall,
    hasPrompt,
    hasInput: hasPrompt,
    renamed,
  };
}

/** Only values of keys: in texts, quotes are escaped. The id of the first line and those of the usage. */
export function renamed(as: SessionId, session: SessionId): (lines: string) => string {
  const key = new RegExp(`("(?:id|session_id|thread_id)":)"${session}"`, "g");
  return (lines) => lines.replace(key, `$1"${as}"`);
}

async function readCall(call: PastCall, files: CallFiles): Promise<RecoveredSession> {
  const { session, part, model = null, since, contextTokens } = call;
  const { file, lost, source } = files;
  const reader = new RolloutReader(model, contextTokens);
  if (part !== undefined && "copyOf" in part && source !== null) {
    const copied = await linesOf(source).catch(() => null);
    await readBranch(file, renamed(session, part.copyOf), copied, since, reader);
  } else {
    const from = part !== undefined && "from" in part ? part.from : null;
    const start = from ?? unknownStart(call, files);
    const isOwn = from === null && start === 0 ? isSince(since) : () => true;
    await eachLine(file, start, (line) => {
      if (isOwn(line)) reader.line(line);
    });
  }
  return recollection(reader, lost);
}

function recollection(reader: RolloutReader, lost: boolean): RecoveredSession {
  const { hasPrompt, answer, denials } = reader;
  const spend = { ...reader.finalSpend, settled: true, context: null, isRecalled: true } as const;
  return { hasPrompt, lost, answer, spend, ...(denials.length > 0 && { denials }) };
}

/** A branch starts with the lines of its source. `copied`: those, null: unknown. */
async function readBranch(
  file: string,
  rename: (line: string) => string,
  copied: readonly string[] | null,
  since: number,
  reader: RolloutReader,
): Promise<void> {
  const isOwn = isSince(since);
  let at = 0;
  let isCopy = copied !== null;
  await eachLine(file, 0, (line) => {
    const original = copied?.[at];
    at += 1;
    isCopy &&= original !== undefined && rename(original) === line;
    if (!isCopy && (copied !== null || isOwn(line))) reader.line(line);
  });
}

function isSince(moment: number): (line: string) => boolean {
  const isOwn = writtenSince(moment);
  return (line) => isOwn(parseObject(line) ?? {});
}

async function linesOf(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await eachLine(file, 0, (line) => lines.push(line));
  return lines;
}
