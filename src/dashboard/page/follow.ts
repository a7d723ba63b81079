import type { LoggedJson } from "../../runs/json/shapes.ts";
import type { ListEvents, ProblemJson, RunEvents } from "../api.ts";

/** Who wants to hear of a run. */
export interface RunListener {
  /** Each once, in the order of their numbers. */
  readonly told: (events: readonly LoggedJson[]) => void;
  readonly changed: () => void;
  /** All that is known is to be read again. */
  readonly reset: () => void;
  readonly gone: (problem: ProblemJson) => void;
  readonly link: (state: LinkState) => void;
}

export type LinkState = "live" | "lost";

/** Follows a run from behind the event `after`; returns what ends it. */
export function followRun(address: string, after: number, listener: RunListener): () => void {
  let last = after;
  let waiting: LoggedJson[] = [];
  // A run that was asleep can tell a thousand things at once: they are drawn once.
  const deliver = () => {
    const events = waiting;
    waiting = [];
    if (events.length > 0) listener.told(events);
  };
  const open = () => new EventSource(`${address}/events?after=${String(last)}`);
  return keptOpen(open, listener.link, (source, close) => {
    const on = <Name extends keyof RunEvents>(
      name: Name,
      heard: (data: RunEvents[Name]) => void,
    ) => {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        heard(JSON.parse(event.data) as RunEvents[Name]);
      });
    };
    on("told", (event) => {
      // What a reconnect tells again is known.
      if (event.seq <= last) return;
      last = event.seq;
      if (waiting.push(event) === 1) requestAnimationFrameOrSoon(deliver);
    });
    on("changed", () => {
      listener.changed();
    });
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

/** Follows whether any run has changed; returns what ends it. */
export function followList(changed: () => void, link: (state: LinkState) => void): () => void {
  return keptOpen(
    () => new EventSource("/api/events"),
    link,
    (source) => {
      const name: keyof { readonly [K in keyof ListEvents]: true } = "changed";
      source.addEventListener(name, changed);
    },
  );
}

/** A browser gives up for good where the server refuses: it may be there again later. */
const AGAIN_MS = 2_000;

/** Opens a stream again as often as it breaks off, until it is ended from here. */
function keptOpen(
  open: () => EventSource,
  link: (state: LinkState) => void,
  listen: (source: EventSource, close: () => void) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource | null = null;
  let closed = false;
  const close = () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
  };
  const begin = () => {
    const now = open();
    source = now;
    listen(now, close);
    now.addEventListener("open", () => {
      link("live");
    });
    now.addEventListener("error", () => {
      if (closed) return;
      link("lost");
      if (now.readyState === EventSource.CLOSED) timer = setTimeout(begin, AGAIN_MS);
    });
  };
  begin();
  return close;
}

/** A tab that is not seen draws no frames, and is to hear of its run all the same. */
function requestAnimationFrameOrSoon(then: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(then);
  else setTimeout(then, 500);
}
