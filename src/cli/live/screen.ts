import type { Size } from "../../console/live/live-view.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { counted } from "../../language/basics/counted.ts";
import { PanelOutput } from "./panel.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Lines that scroll, and a panel below them that is redrawn in place, on a terminal that may be slow, suspended or gone.
 * S1: nothing here blocks or throws. S2: a panel that the terminal does not accept is dropped, because the next one
 * replaces it. S3: lines that it does not accept are kept, up to {@link MOST_KEPT}; beyond that the oldest are dropped,
 * and a line says how many.
 */
export class Screen {
  readonly #terminal: Pick<Terminal, "size" | "write" | "isOurs">;
  readonly #panel: (size: Size) => readonly string[];
  readonly #output = new PanelOutput();
  #lines = "";
  #dropped = 0;
  #unsent: Uint8Array = new Uint8Array();
  #dirty = true;
  #over = false;
  #hidden = false;
  #drawable = true;
  #reacting = false;
  #wake = new AbortController();
  #columns: number;

  constructor(
    terminal: Pick<Terminal, "size" | "write" | "isOurs">,
    clock: Pick<Clock, "sleep">,
    panel: (size: Size) => readonly string[],
  ) {
    this.#terminal = terminal;
    this.#panel = panel;
    this.#columns = terminal.size().columns;
    void this.#run(clock);
  }

  /** Writes whole lines above the panel. */
  write(text: string): void {
    this.#lines += text;
    if (this.#lines.length > MOST_KEPT) {
      const kept = this.#lines.indexOf("\n", this.#lines.length - MOST_KEPT / 2) + 1;
      this.#dropped += this.#lines.slice(0, kept).split("\n").length - 1;
      this.#lines = this.#lines.slice(kept);
    }
    this.refresh();
  }

  refresh(): void {
    this.#dirty = true;
    this.#wake.abort();
  }

  /** Redraws the panel at once, after a key. */
  react(): void {
    this.#dirty = true;
    if (this.#reacting) return;
    this.#reacting = true;
    // All keys of a pasted text are handled first.
    queueMicrotask(() => {
      this.#reacting = false;
      this.#draw();
    });
  }

  /** Erases the panel before the process is suspended. */
  hide(): void {
    this.#hidden = true;
    this.#clear();
    this.#send(Buffer.concat([this.#unsent, Buffer.from(this.#output.take())]));
  }

  /** Draws the panel at the cursor after the process was suspended. */
  restart(): void {
    // A hidden panel may be visible again already, because a timer may run before SIGCONT is handled.
    if (!this.#hidden) this.#output.forget();
    this.#hidden = false;
    this.refresh();
  }

  /** Erases the panel. Returns text that the terminal has not accepted, for a caller that can block. */
  end(): string {
    if (this.#over) return "";
    this.#over = true;
    this.refresh();
    this.#clear();
    this.#output.print(this.#takeLines());
    this.#send(Buffer.concat([this.#unsent, Buffer.from(this.#output.take())]));
    return Buffer.from(this.#unsent).toString();
  }

  async #run(clock: Pick<Clock, "sleep">): Promise<void> {
    while (!this.#over) {
      this.#draw();
      await clock.sleep(FASTEST_MS, new AbortController().signal);
      // Retries what the terminal has not accepted.
      this.#dirty ||= this.#unsent.length > 0;
      if (this.#dirty) continue;
      this.#wake = new AbortController();
      await clock.sleep(TICK_MS - FASTEST_MS, this.#wake.signal);
      this.#dirty = true;
    }
  }

  #draw(): void {
    if (this.#over || !this.#dirty || !this.#send(this.#unsent)) return;
    try {
      this.#dirty = false;
      const ours = this.#terminal.isOurs();
      const { columns, rows } = this.#terminal.size();
      if (this.#lines !== "" || columns !== this.#columns || !ours) this.#clear();
      this.#output.print(this.#takeLines());
      // One column less: after a full line the cursor is on its last character, which erasing would remove.
      if (ours && this.#drawable) this.#output.draw(this.#panel({ columns: columns - 1, rows }));
      this.#send(Buffer.from(this.#output.take()));
    } catch {
      // A failure of the view must not affect the run: from now on only lines are printed.
      this.#drawable = false;
    }
  }

  #clear(): void {
    const { columns } = this.#terminal.size();
    this.#output.clear(columns < this.#columns ? columns : null);
    this.#columns = columns;
  }

  /** Whether the terminal has accepted everything. */
  #send(bytes: Uint8Array): boolean {
    this.#unsent = bytes.subarray(this.#terminal.write(bytes));
    return this.#unsent.length === 0;
  }

  #takeLines(): string {
    const note = `… ${counted(this.#dropped, "line is", "lines are")} dropped: the terminal was blocked\n`;
    const lines = this.#dropped === 0 ? this.#lines : note + this.#lines;
    this.#lines = "";
    this.#dropped = 0;
    return lines;
  }
}

/** Maximum characters of lines that wait for the terminal. */
const MOST_KEPT = 512 * 1024;
/** Minimum interval between panels. Redrawing must not slow down steps. */
const FASTEST_MS = 200;
/** Times on the panel are in seconds. */
const TICK_MS = 1_000;
