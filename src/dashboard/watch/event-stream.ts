import { serveErrors } from "../server/errors.ts";

export interface EventSource {
  /** The next events in `text/event-stream` format; null if there are none yet. `over`: these are the last ones. */
  next(): Promise<{ readonly text: string; readonly over: boolean } | null>;
  /** Calls the listener when there may be new events. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
}

export interface StreamTimes {
  /** Interval of keep-alive comments, ms: proxies close silent connections. */
  readonly heartbeatMs: number;
  /** A client that reads nothing for so long is disconnected, ms. It can reconnect with its last event id. */
  readonly stallMs: number;
}

export const STREAM_TIMES: StreamTimes = { heartbeatMs: 15_000, stallMs: 60_000 };

/** A browser opens at most six per server. */
const MAX_STREAMS = 64;

/** Opens event streams. Throws `serve/too-many` at the limit. */
export function streamOpener(times: StreamTimes): (source: EventSource) => Response {
  let count = 0;
  return (source) => {
    if (count >= MAX_STREAMS) throw serveErrors["serve/too-many"](MAX_STREAMS);
    count += 1;
    const body = eventStream(source, times, () => {
      count -= 1;
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/**
 * The events of a source for one client, with backpressure: the source is read only when the client has received
 * all earlier events, so that a slow client uses no memory. `onEnd` is called once.
 */
export function eventStream(
  source: EventSource,
  times: StreamTimes,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream(new EventPump(source, times, onEnd), { highWaterMark: 1 });
}

class EventPump {
  readonly #source: EventSource;
  readonly #times: StreamTimes;
  readonly #onEnd: () => void;
  readonly #unsubscribe: () => void;
  readonly #encoder = new TextEncoder();
  #mayHaveMore = true;
  #isOver = false;
  /** Of `performance`. */
  #sentAt = performance.now();
  /** Ends the current wait for events. */
  #wake = (): void => undefined;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(source: EventSource, times: StreamTimes, onEnd: () => void) {
    this.#source = source;
    this.#times = times;
    this.#onEnd = onEnd;
    this.#unsubscribe = source.subscribe(() => {
      this.#mayHaveMore = true;
      this.#wake();
    });
  }

  /** Sends the next events or a keep-alive comment. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#stallTimer);
    while (!this.#isOver) {
      const events = await this.#nextEvents();
      if (this.#hasEnded()) return;
      if (events !== null) {
        this.#send(controller, events.text);
        if (!events.over) return;
        this.cancel();
        controller.close();
        return;
      }
      if (performance.now() - this.#sentAt >= this.#times.heartbeatMs) {
        this.#send(controller, ": keep-alive\n\n");
        return;
      }
      await this.#wait();
    }
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unsubscribe();
    clearTimeout(this.#stallTimer);
    this.#wake();
    this.#onEnd();
  }

  /** A function because `cancel` may be called during an await. */
  #hasEnded(): boolean {
    return this.#isOver;
  }

  async #nextEvents(): ReturnType<EventSource["next"]> {
    if (!this.#mayHaveMore) return null;
    this.#mayHaveMore = false;
    const events = await this.#source.next();
    if (events !== null) this.#mayHaveMore = true;
    return events;
  }

  #send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(this.#encoder.encode(text));
    this.#sentAt = performance.now();
    this.#stallTimer = setTimeout(() => {
      this.cancel();
      controller.error(new SlowReaderError());
    }, this.#times.stallMs).unref();
  }

  /** Resolves when there may be events, at the next heartbeat, or at the end. */
  async #wait(): Promise<void> {
    if (this.#mayHaveMore) return;
    const due = this.#sentAt + this.#times.heartbeatMs - performance.now();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, due));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** One event in the format of `text/event-stream`. */
export function printEvent(name: string, data: object, id: number | null): string {
  const idLine = id === null ? "" : `id: ${String(id)}\n`;
  return `event: ${name}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
}

/** Closes the connection to a client that has stopped reading. Never shown. */
class SlowReaderError extends Error {}
