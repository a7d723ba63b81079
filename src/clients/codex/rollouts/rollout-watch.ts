import { type FileHandle, open } from "node:fs/promises";
import { LineReader } from "../../common/output/line-reader.ts";
import type { Timers } from "../../common/watchdog.ts";

/** Time between two looks at the file, ms. */
const PAUSE_MS = 100;

const BLOCK = 1024 * 1024;

export interface RolloutWatch {
  /** Reads what was added last, and ends the watch. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Passes on the lines that the client adds to a file, from byte `start` on. The output of the client reports neither the
 * stored prompt nor usage before the end of a turn. A line that cannot be read is skipped, and no error is reported.
 */
export function watchRollout(
  file: string,
  start: number,
  line: (text: string) => void,
  timers: Pick<Timers, "sleep">,
): RolloutWatch {
  const over = new AbortController();
  const lines = new LineReader({ line, tooLong: () => undefined });
  let at = start;
  const look = async (): Promise<void> => {
    const handle = await open(file, "r").catch(() => null);
    if (handle === null) return;
    try {
      at = await readFrom(handle, at, lines);
    } catch {
      // The next look reads it again.
    } finally {
      await handle.close().catch(() => undefined);
    }
  };
  const watching = (async () => {
    while (!over.signal.aborted) {
      await look();
      await timers.sleep(PAUSE_MS, over.signal);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await watching;
      await look();
    },
  };
}

async function readFrom(handle: FileHandle, start: number, lines: LineReader): Promise<number> {
  for (let at = start; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BLOCK), 0, BLOCK, at);
    if (bytesRead === 0) return at;
    lines.push(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}
