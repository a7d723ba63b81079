import { NO_LISTENER } from "../../../engine/ports/step-events.ts";
import type { AgentStream, StreamSink } from "./agent-stream.ts";

/** The messages in the recorded output of a call; empty for any other file. `open`: creates its reader. */
export function messagesIn(
  output: Buffer,
  open: (sink: StreamSink) => AgentStream,
): readonly string[] {
  const messages: string[] = [];
  const ignore = () => undefined;
  const message = (text: string) => void messages.push(text);
  const reader = open({ ...NO_LISTENER, message, line: ignore, alive: ignore });
  reader.push(output);
  reader.end();
  return messages;
}
