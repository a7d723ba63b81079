import { PiStream } from "./stream.ts";

/** The messages in the recorded output of a call; empty for any other file. */
export function messagesIn(output: Buffer): readonly string[] {
  const messages: string[] = [];
  const ignore = () => undefined;
  const reader = new PiStream({
    message: (text) => void messages.push(text),
    ...{ accepted: ignore, spending: ignore, tool: ignore, notice: ignore },
    ...{ warning: ignore, line: ignore, alive: ignore },
    isWithheld: () => false,
  });
  reader.push(output);
  reader.end();
  return messages;
}
