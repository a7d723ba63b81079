import type { LoggedJson } from "../../inspect/json/shapes.ts";
import type { ListEvents, ProblemJson, RunEvents } from "../api.ts";

export interface RunListener {
  /** Called once. All later events are received, so data that is loaded now has no gaps. */
  readonly opened: () => void;
  /** New events, in order, each once. */
  readonly logged: (events: readonly LoggedJson[]) => void;
  readonly changed: () => void;
  /** All loaded data is outdated. */
  readonly reset: () => void;
  readonly gone: (problem: ProblemJson) => void;
  readonly link: (state: LinkState) => void;
}

export type LinkState = "live" | "lost";

/** Subscribes to the events of a run. Returns a function that unsubscribes. */
export function followRun(address: string, listener: RunListener): () => void {
  /** `seq` of the last event, or of the start of the stream; null before the first event. */
  let last: number | null = null;
  let waiting: LoggedJson[] = [];
  // A hidden tab can receive a thousand events at once: render them once.
  const deliver = () => {
    const events = waiting;
    waiting = [];
    if (events.length > 0) listener.logged(events);
  };
  const open = () => {
    return new EventSource(`${address}/events${last === null ? "" : `?after=${String(last)}`}`);
  };
  return reconnecting(open, listener.link, (source, close) => {
    const on = <Name extends keyof RunEvents>(
      name: Name,
      handle: (data: RunEvents[Name]) => void,
    ) => {
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        const isFirst = last === null;
        if (isFirst) last = lastEventId === "" ? 0 : Number(lastEventId);
        handle(JSON.parse(data) as RunEvents[Name]);
        if (isFirst) listener.opened();
      });
    };
    on("logged", (event) => {
      // Events repeated after a reconnect, and those before the stream started.
      if (event.seq <= (last ?? 0)) return;
      last = event.seq;
      if (waiting.push(event) === 1) scheduleDelivery(deliver);
    });
    on("changed", listener.changed);
    on("reset", ({ seq }) => {
      last = seq;
      waiting = [];
      listener.reset();
    });
    on("gone", (problem) => {
      close();
      listener.gone(problem);
    });
  });
}

/** Subscribes to changes of the lists. Returns a function that unsubscribes. */
export function followList(changed: () => void, link: (state: LinkState) => void): () => void {
  return reconnecting(
    () => new EventSource("/api/events"),
    link,
    (source) => {
      source.addEventListener("changed" satisfies keyof ListEvents, changed);
    },
  );
}

/** `EventSource` does not reconnect after an HTTP error. */
const RECONNECT_MS = 2_000;

/**
 * Reopens a stream whenever it breaks. A hidden tab has no stream: all tabs of a browser share six connections
 * per server.
 */
function reconnecting(
  open: () => EventSource,
  link: (state: LinkState) => void,
  listen: (source: EventSource, close: () => void) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource | null = null;
  const disconnect = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const connect = () => {
    const now = open();
    source = now;
    listen(now, close);
    now.addEventListener("open", () => {
      link("live");
    });
    now.addEventListener("error", () => {
      if (source !== now) return;
      link("lost");
      if (now.readyState === EventSource.CLOSED) timer = setTimeout(connect, RECONNECT_MS);
    });
  };
  const reconnect = () => {
    disconnect();
    if (!document.hidden) connect();
  };
  const close = () => {
    disconnect();
    document.removeEventListener("visibilitychange", reconnect);
  };
  document.addEventListener("visibilitychange", reconnect);
  reconnect();
  return close;
}

/** Hidden tabs get no animation frames, but must process their events. */
function scheduleDelivery(then: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(then);
  else setTimeout(then, 500);
}
