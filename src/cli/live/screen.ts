import type { Size } from "../../console/live/live-view.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { counted } from "../../language/basics/counted.ts";
import { newInk } from "./ink.ts";
import type { Terminal } from "./terminal.ts";

/** Lines that scroll, and a panel below them that is redrawn in place. */
export interface Screen {
  /** Writes whole lines above the panel. Never blocks, never throws. */
  write(text: string): void;
  /** Redraws the panel soon. */
  refresh(): void;
  /** Redraws the panel at once, after a key. */
  react(): void;
  /** Erases the panel before the process is suspended. */
  hide(): void;
  /** Draws the panel at the cursor after the process was suspended. */
  restart(): void;
  /** Erases the panel. Returns text that the terminal has not accepted, for a caller that can block. */
  end(): string;
}

/**
 * A screen on a terminal that may be slow, suspended or gone. S1: nothing here blocks. S2: a panel that the terminal
 * does not accept is dropped, because the next one replaces it. S3: lines that it does not accept are kept, up to
 * {@link MOST_KEPT}; beyond that the oldest are dropped, and a line says how many.
 */
export function openScreen(
  terminal: Pick<Terminal, "size" | "write" | "isOurs">,
  clock: Pick<Clock, "sleep">,
  panel: (size: Size) => readonly string[],
): Screen {
  const ink = newInk();
  let lines = "";
  let left = 0;
  let unsent: Uint8Array = new Uint8Array();
  let dirty = true;
  let over = false;
  let hidden = false;
  let drawable = true;
  let reacting = false;
  let wake = (): void => undefined;
  let { columns } = terminal.size();

  const send = (): boolean => {
    unsent = unsent.subarray(terminal.write(unsent));
    return unsent.length === 0;
  };
  const clear = (): void => {
    const now = terminal.size().columns;
    ink.clear(now < columns ? now : null);
    columns = now;
  };
  const takeLines = (): string => {
    const note =
      left === 0
        ? ""
        : `… ${counted(left, "line is", "lines are")} dropped: the terminal was blocked\n`;
    const taken = note + lines;
    lines = "";
    left = 0;
    return taken;
  };
  const draw = (): void => {
    if (over || !dirty || !send()) return;
    dirty = false;
    const ours = terminal.isOurs();
    if (lines !== "" || terminal.size().columns !== columns || !ours) clear();
    ink.print(takeLines());
    if (ours && drawable) ink.draw(panel(roomOf(terminal.size())));
    unsent = Buffer.from(ink.take());
    send();
  };
  const drawSafely = (): void => {
    try {
      draw();
    } catch {
      // A failure of the view must not affect the run: from now on only lines are printed.
      drawable = false;
    }
  };
  const isOver = () => over;
  const run = async (): Promise<void> => {
    while (!isOver()) {
      drawSafely();
      await clock.sleep(FASTEST_MS, new AbortController().signal);
      // Retries what the terminal has not accepted.
      dirty ||= unsent.length > 0;
      if (isOver() || dirty) continue;
      const nap = new AbortController();
      wake = () => {
        nap.abort();
      };
      await clock.sleep(TICK_MS - FASTEST_MS, nap.signal);
      wake = () => undefined;
      dirty = true;
    }
  };
  const refresh = (): void => {
    dirty = true;
    wake();
  };
  void run();

  return {
    refresh,
    react: () => {
      dirty = true;
      if (reacting) return;
      reacting = true;
      // All keys of a pasted text are handled first.
      queueMicrotask(() => {
        reacting = false;
        drawSafely();
      });
    },
    write: (text) => {
      lines += text;
      if (lines.length > MOST_KEPT) {
        const kept = lines.indexOf("\n", lines.length - MOST_KEPT / 2) + 1;
        left += lines.slice(0, kept).split("\n").length - 1;
        lines = lines.slice(kept);
      }
      refresh();
    },
    hide: () => {
      hidden = true;
      clear();
      unsent = Buffer.concat([unsent, Buffer.from(ink.take())]);
      send();
    },
    restart: () => {
      // A hidden panel may be visible again already, because a timer may run before SIGCONT is handled.
      if (!hidden) ink.forget();
      hidden = false;
      refresh();
    },
    end: () => {
      if (over) return "";
      over = true;
      wake();
      clear();
      ink.print(takeLines());
      const rest = Buffer.concat([unsent, Buffer.from(ink.take())]);
      return rest.subarray(terminal.write(rest)).toString();
    },
  };
}

/** Maximum characters of lines that wait for the terminal. */
const MOST_KEPT = 512 * 1024;
/** Minimum interval between panels. Redrawing must not slow down steps. */
const FASTEST_MS = 200;
/** Times on the panel are in seconds. */
const TICK_MS = 1_000;

/** One column less: after a full line the cursor is on its last character, which erasing would remove. */
function roomOf({ columns, rows }: Size): Size {
  return { columns: columns - 1, rows };
}
