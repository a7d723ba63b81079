import { readdir } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "../../../machine/model/agent.ts";
import { type ConversationPlace, sizeOf } from "../../common/conversations/conversation-files.ts";

/** The client's own folder. A relative one is relative to the working directory of the call. */
export function codexHome(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const own = env["CODEX_HOME"];
  return own === undefined || own === "" ? path.join(home, ".codex") : own;
}

/**
 * Finds the rollout of a session, `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`, the newest days first. A new one is placed
 * as the client does: it also finds files of other days, and files that it did not create (measured).
 */
export async function findRollout(
  home: string,
  cwd: string,
  session: SessionId,
  now: number,
): Promise<ConversationPlace> {
  const sessions = path.resolve(cwd, home, "sessions");
  const ending = `-${session}.jsonl`;
  for await (const day of days(sessions)) {
    const name = (await entries(day)).find((each) => each.endsWith(ending));
    if (name === undefined) continue;
    const file = path.join(day, name);
    const size = await sizeOf(file);
    if (size !== null) return { file, size };
  }
  return { file: newFile(sessions, session, now), size: null };
}

function newFile(sessions: string, session: SessionId, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19);
  const day = time.slice(0, 10).split("-");
  return path.join(sessions, ...day, `rollout-${time.replaceAll(":", "-")}-${session}.jsonl`);
}

/** The folders of days, the newest first. */
async function* days(sessions: string): AsyncGenerator<string> {
  for (const year of await numbered(sessions)) {
    for (const month of await numbered(path.join(sessions, year))) {
      for (const day of await numbered(path.join(sessions, year, month))) {
        yield path.join(sessions, year, month, day);
      }
    }
  }
}

async function numbered(folder: string): Promise<readonly string[]> {
  const names = await entries(folder);
  return names.filter((name) => /^\d+$/.test(name)).toSorted((a, b) => Number(b) - Number(a));
}

function entries(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
