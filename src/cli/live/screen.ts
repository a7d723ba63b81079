import { counted } from "../../core/counted.ts";
import type { Size } from "../../observers/live/live-view.ts";
import type { Clock } from "../../ports/clock.ts";
import { newInk } from "./ink.ts";
import type { Terminal } from "./terminal.ts";

/** Lines that scroll, and a panel below them that is drawn anew in its place. */
export interface Screen {
  /** Whole lines, to stand above the panel. Never waits, never throws. */
  write(text: string): void;
  /** Something has changed: the panel is drawn anew, soon. */
  refresh(): void;
  /** The same for who has pressed a key, and looks for what comes of it: at once. */
  react(): void;
  /** Takes the panel away, before the process is suspended. */
  hide(): void;
  /** The process goes on: the panel begins anew where the cursor is now. */
  restart(): void;
  /** Takes the panel away for good; returns what the terminal has not taken, for whoever may wait for it. */
  end(): string;
}

/**
 * A screen on a terminal that may be slow, suspended or gone. S1: nothing here ever waits for it. S2: a panel that it
 * does not take is dropped, for the next one says more. S3: lines that it does not take are kept, up to
 * {@link MOST_KEPT}; then the oldest go, and a line says how many.
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
        : `… ${counted(left, "line is", "lines are")} left out: the terminal took none\n`;
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
      // The run is worth more than its picture: from now on there are lines alone.
      drawable = false;
    }
  };
  const isOver = () => over;
  const run = async (): Promise<void> => {
    while (!isOver()) {
      drawSafely();
      await clock.sleep(FASTEST_MS, new AbortController().signal);
      // What the terminal has not taken is tried again as soon.
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
      // Of a text that was pasted all keys come before this.
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
      // What was hidden may stand there again already: a timer goes on before this is heard.
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

/** Characters of lines that wait for a terminal. */
const MOST_KEPT = 512 * 1024;
/** Five panels a second can be read, and a step should not feel them. */
const FASTEST_MS = 200;
/** Time is shown in seconds. */
const TICK_MS = 1_000;

/** Behind a line that fills the terminal its cursor stands on the last letter, and what is erased from there on takes it. */
function roomOf({ columns, rows }: Size): Size {
  return { columns: columns - 1, rows };
}
