import type { Conversation } from "./event-history.ts";
import { shellWord } from "./shell-word.ts";

/** The line that opens a conversation in the client, to read on or to talk with it. */
export function opening(
  { session, cwd }: Pick<Conversation, "session" | "cwd">,
  client: string | null,
): string {
  return `cd ${shellWord(cwd)} && ${shellWord(client ?? "claude")} --resume ${shellWord(session)}`;
}
