import type { LoggedJson } from "../../runs/json/shapes.ts";
import type { ListEvents, ProblemJson, RunEvents } from "../api.ts";

/** Who wants to hear of a run. */
export interface RunListener {
  /** From here on all is told: what is read now misses nothing. Once. */
  readonly opened: () => void;
  /** Each once, in the order of their numbers. */
  readonly told: (events: readonly LoggedJson[]) => void;
  readonly changed: () => void;
  /** All that is known is to be read again. */
  readonly reset: () => void;
  readonly gone: (problem: ProblemJson) => void;
  readonly link: (state: LinkState) => void;
}

export type LinkState = "live" | "lost";

/** Follows a run from now on; returns what ends it. */
export function followRun(address: string, listener: RunListener): () => void {
  /** The number of what was told last, or of where the stream has begun; null before. */
  let last: number | null = null;
  let waiting: LoggedJson[] = [];
  // A run that was asleep can tell a thousand things at once: they are drawn once.
  const deliver = () => {
    const events = waiting;
    waiting = [];
    if (events.length > 0) listener.told(events);
  };
  const place = () => (last === null ? "" : `?after=${String(last)}`);
  const open = () => new EventSource(`${address}/events${place()}`);
  return keptOpen(open, listener.link, (source, close) => {
    const on = <Name extends keyof RunEvents>(
      name: Name,
      heard: (data: RunEvents[Name]) => void,
    ) => {
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        const isFirst = last === null;
        if (isFirst) last = lastEventId === "" ? 0 : Number(lastEventId);
        heard(JSON.parse(data) as RunEvents[Name]);
        if (isFirst) listener.opened();
      });
    };
    on("told", (event) => {
      // What a reconnect tells again is known, and the first of all is read with the rest.
      if (event.seq <= (last ?? 0)) return;
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

/**
 * Opens a stream again as often as it breaks off, until it is ended from here. A tab that
 * nobody sees has none: a browser has six connections to a server, for all its tabs.
 */
function keptOpen(
  open: () => EventSource,
  link: (state: LinkState) => void,
  listen: (source: EventSource, close: () => void) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource | null = null;
  const rest = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const begin = () => {
    const now = open();
    source = now;
    listen(now, close);
    now.addEventListener("open", () => {
      link("live");
    });
    now.addEventListener("error", () => {
      if (source !== now) return;
      link("lost");
      if (now.readyState === EventSource.CLOSED) timer = setTimeout(begin, AGAIN_MS);
    });
  };
  const turn = () => {
    rest();
    if (!document.hidden) begin();
  };
  const close = () => {
    rest();
    document.removeEventListener("visibilitychange", turn);
  };
  document.addEventListener("visibilitychange", turn);
  turn();
  return close;
}

/** A tab that is not seen draws no frames, and is to hear of its run all the same. */
function requestAnimationFrameOrSoon(then: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(then);
  else setTimeout(then, 500);
}
