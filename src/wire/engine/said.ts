import { ClientStream } from "../../clients/claude/output/stream.ts";

/** The messages of the model, whole, in the raw stream of a client that a debug file has kept; none where it is no such stream. */
export function messagesIn(stream: Buffer): readonly string[] {
  const messages: string[] = [];
  const ignore = () => undefined;
  const reader = new ClientStream({
    message: (text) => {
      messages.push(text);
    },
    accepted: ignore,
    spending: ignore,
    tool: ignore,
    notice: ignore,
    warning: ignore,
    line: ignore,
    alive: ignore,
  });
  reader.push(stream);
  reader.end();
  return messages;
}
