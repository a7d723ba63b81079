import { RefusedError } from "./errors.ts";
import { type EventSource, eventStream, type StreamTimes } from "./event-stream.ts";

/** The streams that are open, of which there are not too many. */
export interface Streams {
  /** Throws a {@link RefusedError} where there are as many as there may be. */
  open(source: EventSource): Response;
}

export function newStreams(times: StreamTimes): Streams {
  let count = 0;
  return {
    open(source) {
      if (count >= MOST) throw tooMany();
      count += 1;
      const body = eventStream(source, times, () => {
        count -= 1;
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

/** A browser opens six at most. */
const MOST = 64;

function tooMany(): RefusedError {
  return new RefusedError(
    503,
    "serve/too-many",
    `${String(MOST)} streams are open: no more are answered at once.`,
    "Close pages that nobody looks at.",
  );
}
