import { describe, expect, it } from "vitest";
import { Screen } from "../../../src/cli/live/screen.ts";
import { SimulatedClock } from "../../support/clock.ts";
import { FakeScreen } from "../../support/terminal/screen.ts";

type Panel = ConstructorParameters<typeof Screen>[2];

/** A screen whose panel can be changed, and time that passes when it is told to. */
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
    /** So long that all is drawn that is to be drawn. */
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
  it("keeps the panel below all that scrolls", async () => {
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

  it("keeps the last letter of a line that takes all its room, however often it is drawn", async () => {
    const { terminal, screen, set, pass } = scene(12, 10, ({ columns }) => [
      "x".repeat(columns - 1),
    ]);
    await pass();
    set(({ columns }) => ["y".repeat(columns)]);
    await pass();
    expect(terminal.lines()).toEqual(["y".repeat(11)]);
    screen.end();
  });

  it("sends of a panel nothing twice: where nothing has changed no byte, else from the first line that has", async () => {
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

  it("draws at once what comes of a key, and once for all that are pressed together", async () => {
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

  it("takes the panel away at the end, and keeps every line", async () => {
    const { terminal, screen, pass } = scene();
    screen.write("one\n");
    await pass();
    screen.write("last\n");

    expect(screen.end()).toBe("");
    expect(terminal.lines()).toEqual(["one", "last"]);
    expect(screen.end()).toBe("");
  });

  it("waits for no terminal that takes nothing, draws the newest panel when it does again, and loses no line", async () => {
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

  it("gives what a terminal has not taken to whoever may wait for it", async () => {
    const { terminal, screen, pass } = scene();
    await pass();
    terminal.room = 0;
    screen.write("one\n");
    await pass();
    screen.write("two\n");
    terminal.show(screen.end());

    expect(terminal.lines()).toEqual(["one", "two"]);
  });

  it("keeps no more lines than fit into memory, and says how many are gone", async () => {
    const { terminal, screen, pass } = scene(80);
    await pass();
    terminal.room = 0;
    screen.write("begun\n");
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

  it("leaves nothing of a wide panel on a terminal that has become narrow", async () => {
    const { terminal, screen, set, pass } = scene(40);
    set(["a".repeat(40), "b".repeat(40)]);
    screen.write("above\n");
    await pass();
    // A terminal that breaks its lines anew has two of each now.
    terminal.reflow(20, 10);
    set(["a".repeat(20)]);
    await pass();

    expect(terminal.lines()).toEqual(["above", "a".repeat(20)]);
  });

  it("leaves no more of it than what tmux has moved out of reach", async () => {
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

  it("begins anew below what the shell has written while it was suspended", async () => {
    const { terminal, screen, pass } = scene();
    screen.write("one\n");
    await pass();
    screen.hide();
    terminal.show("Stopped\n$ fg\n");
    // A timer may go on before the process hears that it does.
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

  it("goes on with lines alone where a panel cannot be drawn", async () => {
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
