import type { Conversation } from "../../log/event-history.ts";
import { shellWord } from "../shell-word.ts";

/** The command that opens a conversation in the client. */
export function openCommand(
  { session, cwd }: Pick<Conversation, "session" | "cwd">,
  client: string | null,
): string {
  return `cd ${shellWord(cwd)} && ${shellWord(client ?? "claude")} --resume ${shellWord(session)}`;
}
