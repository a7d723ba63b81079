import { historyReader, type RunHistory } from "../../src/log/event-history.ts";

/** The history in the text of an event log. Null if no line is readable. */
export function readHistory(log: string): RunHistory | null {
  const reader = historyReader();
  for (const line of log.split("\n")) reader.read(line);
  return reader.result();
}
