import type { Redaction } from "../../../engine/ports/redaction.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import { parseObject, textAt } from "../json-fields.ts";
import type { StreamSink } from "./agent-stream.ts";
import { LineReader } from "./line-reader.ts";

export type StreamSecrets = Pick<Redaction, "json" | "text"> | null;

interface EventLinesOptions {
  /** The client, in messages. */
  readonly program: string;
  readonly secrets: StreamSecrets;
  /** Types of events that repeat others: not for the debug files. */
  readonly repeating?: ReadonlySet<string>;
  /** Between a result and the next turn events are no sign of life. */
  readonly isSettled: () => boolean;
  readonly maxLineBytes?: number | undefined;
}

/** Reads the events of a client, one JSON object per line, and tolerates anything else. */
export class EventLines extends LineReader {
  readonly #secrets: StreamSecrets;

  constructor(
    sink: Pick<StreamSink, "line" | "alive" | "notice">,
    { program, secrets, repeating, isSettled, maxLineBytes }: EventLinesOptions,
    onEvent: (type: string, event: JsonObject) => void,
  ) {
    const read = (written: string): void => {
      const line = secrets?.json(written) ?? written;
      const event = parseObject(line);
      const type = event === null ? null : textAt(event, "type");
      if (line !== "" && repeating?.has(type ?? "") !== true) sink.line(line);
      // Other output is no sign of life: a wrapper may print dots while the client hangs.
      if (event === null || type === null) return;
      const wasSettled = isSettled();
      onEvent(type, event);
      if (!wasSettled || !isSettled()) sink.alive();
    };
    const tooLong = (bytes: number): void => {
      sink.notice(`Dropped a line of ${String(bytes)} bytes from ${program}, which is too long.`);
      if (!isSettled()) sink.alive();
    };
    super({ line: read, tooLong }, maxLineBytes);
    this.#secrets = secrets;
  }

  /** Redacts a joined text again: a value may be split between its parts. */
  redacted(text: string | null): string | null {
    return text === null ? null : (this.#secrets?.text(text) ?? text);
  }
}
