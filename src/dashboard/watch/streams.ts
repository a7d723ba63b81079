import { serveErrors } from "../server/errors.ts";
import { type EventSource, eventStream, type StreamTimes } from "./event-stream.ts";

/** A limited number of open event streams. */
export interface Streams {
  /** Throws `serve/too-many` at the limit. */
  open(source: EventSource): Response;
}

export function newStreams(times: StreamTimes): Streams {
  let count = 0;
  return {
    open(source) {
      if (count >= MAX_STREAMS) throw serveErrors["serve/too-many"](MAX_STREAMS);
      count += 1;
      const body = eventStream(source, times, () => {
        count -= 1;
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

/** A browser opens at most six per server. */
const MAX_STREAMS = 64;
