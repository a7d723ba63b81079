/** What a stream says next: null where there is nothing for now. Throws where nothing more will come, after what it gives. */
export interface EventSource {
  /** Text in the format of `text/event-stream`; `over`: nothing follows it. */
  next(): Promise<{ readonly text: string; readonly over: boolean } | null>;
  /** Calls the listener when there may be something next. Gives what ends that. */
  listen(listener: () => void): () => void;
}

export interface StreamTimes {
  /** Something is said at least so often, ms: else whoever is between takes the connection for dead. */
  readonly heartbeatMs: number;
  /** A browser that takes nothing for so long is let go; it comes back with the number of what it had last. */
  readonly patienceMs: number;
}

export const STREAM_TIMES: StreamTimes = { heartbeatMs: 15_000, patienceMs: 60_000 };

/**
 * The events of a source for one browser. Nothing is read from the source before the browser has taken what
 * came before: a slow one costs time, and no memory.
 */
export function eventStream(
  source: EventSource,
  { heartbeatMs, patienceMs }: StreamTimes,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isNew = true;
  let saidAt = performance.now();
  let wake = (): void => undefined;
  let patience: NodeJS.Timeout | undefined;
  let isOver = false;
  const unlisten = source.listen(() => {
    isNew = true;
    wake();
  });
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    unlisten();
    clearTimeout(patience);
    wake();
    onEnd();
  };
  const hasEnded = () => isOver;
  const somethingNew = () =>
    new Promise<void>((resolve) => {
      if (isNew || isOver) {
        resolve();
        return;
      }
      const timer = setTimeout(
        () => {
          wake();
        },
        Math.max(0, saidAt + heartbeatMs - performance.now()),
      );
      wake = () => {
        clearTimeout(timer);
        wake = () => undefined;
        resolve();
      };
    });

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(patience);
        const give = (text: string): void => {
          controller.enqueue(encoder.encode(text));
          saidAt = performance.now();
          patience = setTimeout(() => {
            end();
            controller.error(new SlowReaderError());
          }, patienceMs).unref();
        };
        while (!hasEnded()) {
          const mayBeNew = isNew;
          isNew = false;
          const said = mayBeNew ? await source.next() : null;
          if (hasEnded()) return;
          if (said !== null) {
            // There may be more.
            isNew = true;
            give(said.text);
            if (!said.over) return;
            end();
            controller.close();
            return;
          }
          if (performance.now() - saidAt >= heartbeatMs) {
            give(": still here\n\n");
            return;
          }
          await somethingNew();
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

/** One event in the format of `text/event-stream`. JSON has no line ends. */
export function printEvent(name: string, data: string, id: number | null): string {
  return `event: ${name}\n${id === null ? "" : `id: ${String(id)}\n`}data: ${data}\n\n`;
}

/** A browser has taken nothing for a long time. Nobody sees this: it ends the connection. */
class SlowReaderError extends Error {}
