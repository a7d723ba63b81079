import { stripVTControlCharacters } from "node:util";
import { createLogUpdate } from "log-update";
import { widthOf } from "../../observers/live/fitting.ts";
import type { Size } from "../../observers/live/live-view.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Terminal } from "./terminal.ts";

/** Lines that scroll, and a panel below them that is drawn anew in its place. */
export interface Screen {
  /** Whole lines, to stand above the panel. Never waits, never throws. */
  write(text: string): void;
  /** Something has changed: the panel is drawn anew, soon. */
  refresh(): void;
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
    const note = left === 0 ? "" : `… ${String(left)} lines are left out: the terminal took none\n`;
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
  const isOver = () => over;
  const run = async (): Promise<void> => {
    while (!isOver()) {
      try {
        draw();
      } catch {
        // The run is worth more than its picture: from now on there are lines alone.
        drawable = false;
      }
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
/** More panels than this no eye can tell apart, and a step should not feel them. */
const FASTEST_MS = 100;
/** Time is shown in seconds. */
const TICK_MS = 1_000;

/** Behind a line that fills the terminal its cursor stands on the last letter, and what is erased from there on takes it. */
function roomOf({ columns, rows }: Size): Size {
  return { columns: columns - 1, rows };
}

/** What is to be sent to a terminal whose last lines are a panel. */
function newInk(): {
  print(lines: string): void;
  draw(panel: readonly string[]): void;
  /** Takes the panel away; `narrow`: the terminal has become so narrow meanwhile, else null. */
  clear(narrow: number | null): void;
  /** The panel stands where nobody can find it any more. */
  forget(): void;
  /** All that has come together, to be drawn as a whole by terminals that can. */
  take(): string;
} {
  let ink = "";
  let drawn: readonly string[] = [];
  const stream = {
    // Lines are cut to the terminal before they come here.
    columns: Number.MAX_SAFE_INTEGER,
    rows: Number.MAX_SAFE_INTEGER,
    write: (text: string) => {
      ink += text;
      return true;
    },
  };
  const newPanel = () =>
    createLogUpdate(stream as unknown as NodeJS.WritableStream, { showCursor: true });
  let update = newPanel();
  const forget = (): void => {
    drawn = [];
    update = newPanel();
  };

  return {
    forget,
    print: (lines) => {
      ink += lines;
    },
    draw: (panel) => {
      if (panel.length === 0 && drawn.length === 0) return;
      drawn = panel;
      ink += NO_BREAKS;
      update(panel.join("\n"));
      ink += BREAKS;
    },
    clear: (narrow) => {
      if (drawn.length === 0) return;
      if (narrow === null) update.clear();
      else ink += `\r\u001B[${String(rowsOf(drawn, narrow))}A\u001B[J`;
      forget();
    },
    take: () => {
      const taken = ink.replaceAll(NO_BREAKS + BREAKS, "");
      ink = "";
      return taken === "" ? "" : `${BEGIN}${taken}${END}`;
    },
  };
}

const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";
/** No line of a panel is ever broken, however wide its letters are on that terminal. */
const NO_BREAKS = "\u001B[?7l";
const BREAKS = "\u001B[?7h";

/** Most terminals break lines that have become too long for them. */
function rowsOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => widthOf(stripVTControlCharacters(line)));
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
