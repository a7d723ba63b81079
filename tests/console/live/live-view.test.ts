import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Interaction, liveView, type Scene } from "../../../src/console/live/live-view.ts";
import { truncateToWidth, widthOf } from "../../../src/console/live/text-width.ts";
import { colorStyle, plainStyle } from "../../../src/console/style.ts";
import { questionOf } from "../../../src/machine/moves/question.ts";
import { agent, anyText } from "../../support/agents.ts";
import { anyRun, run, settings, totals } from "../../support/runs.ts";

const START = Date.parse("2026-11-21T10:30:00.000Z");
const NOW = START + 125_000;

const running = (kind: "prompt" | "script" = "prompt") =>
  ({
    type: "running",
    process: 1,
    kind,
    startedAt: new Date(NOW - 12_000).toISOString(),
    accepted: true,
    conversationBytes: null,
    spend: null,
    call: 0,
    backend: kind === "script" ? null : "claude",
  }) as const;

const asks = (question = "Ship it?") =>
  ({
    type: "waiting",
    since: null,
    until: null,
    for: {
      kind: "answer",
      number: 7,
      question,
      options: ["yes", "no"],
      late: null,
      from: "ASK.md",
      call: 0,
    },
  }) as const;

const person: Interaction = {
  mode: { kind: "watching" },
  message: null,
  keys: [
    { key: "a", short: "answer", long: "answer what an agent asks", when: "asked" },
    { key: "s", short: "stop", long: "stop after the steps in flight", when: "always" },
    { key: "?", short: "help", long: "show this", when: "always" },
  ],
};

function scene(changes: Partial<Scene> = {}): Scene {
  return { run: run(), activities: new Map(), program: "raymond", interaction: person, ...changes };
}

function view(changes: Partial<Scene>, columns = 80, rows = 24): readonly string[] {
  return liveView(scene(changes), { columns, rows }, NOW, plainStyle).map((line) => line.trimEnd());
}

describe("the live view", () => {
  it("shows a line for each agent, a line for the run, and the keys", () => {
    const seen = run({
      agents: [
        agent({
          activity: running(),
          state: "REVIEW.md",
          sums: totals({ costMicroUsd: 420_000 }),
        }),
        agent({ id: "main_work1", activity: running("script"), state: "WORK.sh" }),
      ],
      contexts: { s1: { tokens: 46_000, window: 200_000 } },
      settings: settings({ budgetMicroUsd: 5_000_000, maxSteps: 50 }),
      totals: totals({ costMicroUsd: 1_250_000 }),
      steps: 12,
    });
    const doings = new Map([["main", "Bash npm test"]]);

    expect(view({ run: seen, activities: doings }, 100)).toEqual([
      "-".repeat(100),
      "> main        REVIEW.md  12s  23 %  $0.42  Bash npm test",
      "> main_work1  WORK.sh    12s  23 %         script",
      "running  $1.25 of $5.00  [=====---------------]  12 of 50 steps  2m 05s total  2 agents  k3x9qd",
      "s stop   ? help",
    ]);
  });

  it("counts down waits", () => {
    const retry = {
      type: "waiting",
      since: null,
      until: NOW + 65_000,
      for: { kind: "retry", class: "outage", tries: 1 },
    } as const;

    expect(view({ run: run({ agents: [agent({ activity: retry })] }) }).join("\n")).toContain(
      "~ main  START.md  1m 05s left: waiting for its next attempt",
    );
  });

  it("shows a question with the key and the command that answer it", () => {
    const asking = run({ agents: [agent({ activity: asks() })] });

    expect(view({ run: asking }).slice(1, 4)).toEqual([
      "? main  START.md  waiting for an answer: Ship it? (yes | no)",
      "? main asks: Ship it? (yes | no)",
      "  answer: press a, or run: raymond answer wf-2026-11-21-k3x9qd TEXT",
    ]);
    expect(view({ run: asking }, 40)).toContain("  answer: press a");
    expect(view({ run: asking, interaction: null })).toContain(
      "  answer: raymond answer wf-2026-11-21-k3x9qd TEXT",
    );
  });

  it("shows the keys that are useful now", () => {
    expect(view({}).at(-1)).toBe("s stop   ? help");
    expect(view({ run: run({ agents: [agent({ activity: asks() })] }) }).at(-1)).toBe(
      "a answer   s stop   ? help",
    );
    expect(view({ interaction: { ...person, mode: { kind: "help" } } })).toContain(
      "  a       answer what an agent asks",
    );
  });

  it("shows the typed answer, or the end of a long one", () => {
    const asking = agent({ activity: asks() });
    const question = questionOf(asking);
    if (question === null) throw new Error("it asks");
    const at = {
      kind: "answering",
      question,
      text: `${"x".repeat(60)} the end`,
      sending: false,
    } as const;

    const seen = view({ run: run({ agents: [asking] }), interaction: { ...person, mode: at } }, 30);

    expect(seen.at(-3)).toBe("? Ship it? (yes | no)");
    expect(seen.at(-2)).toMatch(/^main> x+ the end_$/);
  });

  it("shows the most important of 500 agents in order, and counts the others", () => {
    const agents = Array.from({ length: 500 }, (_, at) =>
      agent({ id: `main_w${String(at)}`, ...(at % 100 === 7 && { activity: running() }) }),
    );

    const seen = view({ run: run({ agents: [...agents, agent({ activity: asks() })] }) }, 80, 24);

    expect(seen.length).toBeLessThanOrEqual(12);
    expect(seen.map((line) => line.slice(0, 12).trimEnd())).toEqual(
      expect.arrayContaining(["> main_w7", "> main_w107", "> main_w407"]),
    );
    expect(seen.filter((line) => line.startsWith("> "))).toHaveLength(5);
    expect(seen).toContain("+ 495 more agents: 495 ready");
  });

  it("keeps the most important parts at 20 columns", () => {
    const seen = view(
      {
        run: run({
          agents: [agent({ activity: running(), state: "A_LONG_STATE_NAME.md" })],
          settings: settings({ budgetMicroUsd: 10_000_000 }),
        }),
        activities: new Map([["main", "Bash npm test -- --watch"]]),
      },
      20,
      10,
    );

    expect(seen).toEqual(["> main  Bash npm te…", "running  $0.00", "s stop   ? help"]);
  });

  it("leaves out the separator if the help needs the room", () => {
    const helped: Interaction = { ...person, mode: { kind: "help" }, message: "stopping" };

    expect(view({ interaction: helped }, 12, 12)).toEqual([
      "running",
      "stopping",
      "  a       a…",
      "  s       s…",
      "  ?       s…",
      "press any k…",
    ]);
  });

  it("makes control characters of models visible", () => {
    const evil = "\u001B[2J\u001B]0;title\u0007 \u202Eevil\u202C \u0000\r\n<b>bold</b> \u009B31m";
    const [, line = ""] = view({
      run: run({ agents: [agent({ activity: running() })] }),
      activities: new Map([["main", evil]]),
    });

    expect(line).toContain("␛[2J␛]0;title␇ \\u202eevil\\u202c ␀");
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it("draws nothing without room", () => {
    expect(view({}, 80, 1)).toEqual([]);
    expect(view({}, 0, 24)).toEqual([]);
  });

  it("property: no line is wider than the terminal, half of it stays free, and control characters are visible", () => {
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 130 }),
      rows: fc.integer({ min: 0, max: 40 }),
    });
    const anyPerson = fc.option(
      fc.record({
        mode: fc.constantFrom(
          person.mode,
          { kind: "help" } as const,
          { kind: "stopping" } as const,
        ),
        message: fc.option(anyText),
        keys: fc.constant(person.keys),
      }),
    );
    fc.assert(
      fc.property(anyRun, size, anyPerson, anyText, (seen, { columns, rows }, someone, text) => {
        const doings = new Map(seen.agents.map(({ id }) => [id, text]));
        const lines = liveView(
          scene({ run: seen, activities: doings, interaction: someone }),
          { columns, rows },
          NOW,
          plainStyle,
        );

        expect(lines.length).toBeLessThanOrEqual(Math.floor(rows / 2));
        for (const line of lines) {
          expect(line).not.toMatch(/\p{Cc}/u);
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });

  it("is the same text without color", () => {
    const seen = scene({ run: run({ agents: [agent({ activity: running() })] }) });
    const size = { columns: 80, rows: 24 };

    expect(liveView(seen, size, NOW, colorStyle).map(stripVTControlCharacters)).toEqual(
      liveView(seen, size, NOW, plainStyle),
    );
  });
});

describe("a text that is fitted", () => {
  it.each([
    ["日本語の文", 6, "日本…"],
    ["日本語の文", 5, "日本…"],
    ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
    ["e\u0301clair", 4, "e\u0301cl…"],
    ["short", 10, "short"],
    ["anything", 0, ""],
  ])("%s in %i columns is %s", (text, columns, shown) => {
    expect(truncateToWidth(text, columns)).toBe(shown);
  });

  it("property: is never wider than its columns", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 0, max: 30 }),
        (text, columns) => {
          expect(widthOf(truncateToWidth(text, columns))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});
