import { describe, expect, it } from "vitest";
import { Screen } from "../../../src/cli/live/screen.ts";
import { SimulatedClock } from "../../support/clock.ts";
import { FakeScreen } from "../../support/terminal/screen.ts";

type Panel = ConstructorParameters<typeof Screen>[2];

/** A screen with a panel that the test changes, and a simulated clock. */
function scene(columns = 40, rows = 10, first: Panel = () => ["agent", "run"]) {
  const terminal = new FakeScreen(columns, rows);
  const clock = new SimulatedClock();
  let panel = first;
  const screen = new Screen(terminal, clock, (size) => panel(size));
  return {
    terminal,
    screen,
    set: (next: Panel | readonly string[]) => {
      panel = typeof next === "function" ? next : () => next;
      screen.refresh();
    },
    /** Advances the clock until everything is drawn. */
    pass: async (ms = 1_000) => {
      for (let passed = 0; passed < ms; passed += 100) {
        await clock.someoneSleeps();
        clock.advance(100);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
}

describe("the screen of the live view", () => {
  it("keeps the panel below the lines that scroll", async () => {
    const { terminal, screen, set, pass } = scene();
    screen.write("one\n");
    await pass();
    screen.write("two\nthree\n");
    set(["agent", "another", "run"]);
    await pass();
    set(["run"]);
    await pass();

    expect(terminal.lines()).toEqual(["one", "two", "three", "run"]);
  });

  it("keeps the last letter of a line that fills the width", async () => {
    const { terminal, screen, set, pass } = scene(12, 10, ({ columns }) => [
      "x".repeat(columns - 1),
    ]);
    await pass();
    set(({ columns }) => ["y".repeat(columns)]);
    await pass();
    expect(terminal.lines()).toEqual(["y".repeat(11)]);
    screen.end();
  });

  it("sends only changed lines of the panel", async () => {
    const { terminal, screen, set, pass } = scene(40, 10, () => ["agent", "another", "run"]);
    await pass();
    let sent = "";
    const { write } = terminal;
    terminal.write = (bytes) => {
      sent += Buffer.from(bytes).toString();
      return write(bytes);
    };
    set(["agent", "another", "run"]);
    await pass();
    expect(sent).toBe("");

    set(["agent", "else", "run"]);
    await pass();
    expect(terminal.lines()).toEqual(["agent", "else", "run"]);
    expect(sent).toContain("else");
    expect(sent).not.toMatch(/agent|run/);
    screen.end();
  });

  it("redraws at once after a key, and once for keys that are pressed together", async () => {
    let drawings = 0;
    const { terminal, screen, pass } = scene(40, 10, () => {
      drawings += 1;
      return [`drawing ${String(drawings)}`];
    });
    await pass();
    const before = drawings;
    for (let key = 0; key < 1_000; key += 1) screen.react();
    await Promise.resolve();

    expect(drawings).toBe(before + 1);
    expect(terminal.lines()).toEqual([`drawing ${String(drawings)}`]);
    screen.end();
  });

  it("erases the panel at the end, and keeps every line", async () => {
    const { terminal, screen, pass } = scene();
    screen.write("one\n");
    await pass();
    screen.write("last\n");

    expect(screen.end()).toBe("");
    expect(terminal.lines()).toEqual(["one", "last"]);
    expect(screen.end()).toBe("");
  });

  it("does not wait for a blocked terminal, then draws the latest panel and loses no line", async () => {
    const { terminal, screen, set, pass } = scene();
    await pass();
    terminal.room = 3;
    for (let at = 0; at < 20; at += 1) {
      screen.write(`line ${String(at)}\n`);
      set([`panel ${String(at)}`]);
      await pass(100);
    }
    terminal.room = Number.POSITIVE_INFINITY;
    await pass();

    expect(terminal.lines()).toEqual([
      ...Array.from({ length: 20 }, (_, at) => `line ${String(at)}`),
      "panel 19",
    ]);
  });

  it("returns output that the terminal has not accepted", async () => {
    const { terminal, screen, pass } = scene();
    await pass();
    terminal.room = 0;
    screen.write("one\n");
    await pass();
    screen.write("two\n");
    terminal.show(screen.end());

    expect(terminal.lines()).toEqual(["one", "two"]);
  });

  it("limits the lines that it keeps, and says how many were dropped", async () => {
    const { terminal, screen, pass } = scene(80);
    await pass();
    terminal.room = 0;
    screen.write("first\n");
    await pass(100);
    for (let at = 0; at < 20_000; at += 1) screen.write(`${"x".repeat(35)} ${String(at)}\n`);
    terminal.room = Number.POSITIVE_INFINITY;
    await pass();

    const lines = terminal.lines();
    expect(
      lines.filter((line) => /lines are dropped: the terminal was blocked/.test(line)),
    ).toHaveLength(1);
    expect(lines.at(-3)).toContain(" 19999");
    expect(lines.length).toBeLessThan(15_000);
  });

  it("erases a wide panel on a terminal that has become narrow", async () => {
    const { terminal, screen, set, pass } = scene(40);
    set(["a".repeat(40), "b".repeat(40)]);
    screen.write("above\n");
    await pass();
    // A terminal that wraps its lines again shows two of each now.
    terminal.reflow(20, 10);
    set(["a".repeat(20)]);
    await pass();

    expect(terminal.lines()).toEqual(["above", "a".repeat(20)]);
  });

  it("leaves only the lines that tmux has moved out of reach", async () => {
    const { terminal, screen, set, pass } = scene(40);
    terminal.isTmux = true;
    set(["a".repeat(40), "b".repeat(40)]);
    screen.write("above\n");
    await pass();
    terminal.reflow(20, 10);
    screen.write("done\n");
    screen.end();

    expect(terminal.lines()).toEqual(["above", "a".repeat(20), "done"]);
  });

  it("draws the panel below the output of the shell after it was suspended", async () => {
    const { terminal, screen, pass } = scene();
    screen.write("one\n");
    await pass();
    screen.hide();
    terminal.show("Stopped\n$ fg\n");
    // A timer may run before SIGCONT is handled.
    await pass();
    screen.restart();
    await pass();

    expect(terminal.lines()).toEqual(["one", "Stopped", "$ fg", "agent", "run"]);
  });

  it("draws no panel while the shell has the process in the background", async () => {
    const { terminal, screen, pass } = scene();
    await pass();
    terminal.isOurs = () => false;
    screen.write("one\n");
    await pass();

    expect(terminal.lines()).toEqual(["one"]);
  });

  it("prints lines without a panel if the panel cannot be drawn", async () => {
    const terminal = new FakeScreen(40, 10);
    const clock = new SimulatedClock();
    const screen = new Screen(terminal, clock, () => {
      throw new Error("a bug");
    });
    screen.write("one\n");
    clock.advance(200);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    screen.end();

    expect(terminal.lines()).toEqual(["one"]);
  });
});
