import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEvent } from "../../../src/console/format/format-event.ts";
import { isShown } from "../../../src/console/line.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import { anyEvent, everyEvent, samples } from "../../log/samples.ts";

const texts = (event: Event): readonly string[] => formatEvent(event).map((line) => line.text);

describe("formatEvent", () => {
  it.each(everyEvent.map((event) => [event.type, event] as const))(
    "has something to show for %s",
    (_, event) => {
      expect(formatEvent(event).some((line) => isShown(line, "verbose"))).toBe(true);
    },
  );

  it.each([
    [{ tag: "goto", target: "A.md" }, "A.md", "→ goto A.md"],
    [
      { tag: "goto", target: "A.md", input: "two\ntests" },
      "A.md",
      "→ goto A.md, input: two (+ 1 line)",
    ],
    [{ tag: "reset", target: "A.md", frames: "keep" }, "A.md", "→ reset A.md, callers kept"],
    [{ tag: "reset", target: "A.md" }, "A.md", "→ reset A.md"],
    [{ tag: "call", target: "A.md", returnTo: "B.md" }, "A.md", "→ call A.md, return to B.md"],
    [
      { tag: "function", target: "A.md", returnTo: "B.md" },
      "A.md",
      "→ function A.md, return to B.md",
    ],
    [
      { tag: "fork", target: "W.md", next: "B.md", attributes: { item: "7" } },
      "B.md",
      "→ fork W.md, continue at B.md",
    ],
    [{ tag: "result", payload: "\nYES\nbecause\n" }, "B.md", "→ result to B.md: YES"],
  ] as const)("shows the transition %o in one line", (transition, to, text) => {
    const event = { ...samples["agent.moved"], transition, to, implied: false, dropped: 0 };

    expect(texts(event)).toEqual([text]);
  });

  it("names another coding agent than the default one, and why it runs the step", () => {
    const [first] = texts({ ...samples["step.started"], backend: "codex" });
    expect(first).toMatch(/, with codex$/);
    const fallback = { ...samples["step.started"], backend: "codex", insteadOf: "claude" };
    expect(texts(fallback)[0]).toMatch(/, with codex instead of claude$/);
    expect(texts({ ...samples["run.woke"], backend: "codex" })).toEqual([
      "continuing after the usage limit of codex",
    ]);
    expect(texts({ ...samples["run.waiting"], backend: "codex" })[0]).toContain(
      "(usage limit of codex)",
    );
  });

  it("shows the start of a long answer, in one line", () => {
    const event = { ...samples["agent.answered"], answer: `a\nb${"x".repeat(5000)}` };

    expect(texts(event).join("\n")).toMatch(/^→ .*: a bx{10,200}…$/);
  });

  it("shows how long and until when a run waits, in local time", () => {
    const until = new Date(2026, 10, 21, 15).getTime();
    const still = { ...samples["run.still-waiting"], until };

    expect(texts({ ...samples["run.waiting"], until })).toEqual([
      "! waiting 4h 30m, until 2026-11-21 15:00:00 (usage limit): You've hit your session limit.",
    ]);
    expect(texts(still)).toEqual([
      "still waiting: 1h 00m left, until 2026-11-21 15:00:00 (usage limit)",
    ]);
    expect(formatEvent(still).some((line) => isShown(line, "quiet"))).toBe(false);
  });

  it("shows how much of the budget is spent when it is nearly used up", () => {
    expect(texts(samples["budget.near"])).toEqual(["! $8.10 of the budget of $10.00 is spent"]);
  });

  it("shows the state that handles a failed script", () => {
    expect(texts(samples["agent.diverted"])[0]).toMatch(
      /^! BUILD\.sh failed, and on_error leads to FIX\.md: The script/,
    );
  });

  it("marks implied transitions, and shows dropped callers", () => {
    expect(texts(samples["agent.moved"])).toEqual([
      "→ reset BUILD.md in /repo/app (the only transition), 1 caller dropped",
    ]);
  });

  it("shows cost, total and time of a prompt step, and estimates separately", () => {
    const ended = { ...samples["step.ended"], denials: [], estimatedMicroUsd: 20_000 };

    expect(texts(ended)[0]).toBe("$0.0420 and about $0.0200 (estimated), total $0.42, 1m 05s");
  });

  it("shows the end of short scripts only with --verbose", () => {
    const [line] = formatEvent({
      ...samples["step.ended"],
      kind: "script",
      durationMs: 20,
      costMicroUsd: 0,
      denials: [],
    });

    expect(line).toMatchObject({ text: "20ms", from: "verbose" });
  });

  it("shows each denied tool call as a warning, also with --quiet", () => {
    expect(formatEvent(samples["step.ended"])[0]).toMatchObject({
      text: "! denied: Bash  git push",
      tone: "warning",
      from: "quiet",
    });
  });

  it("shows the first line of a message, and the rest only with --verbose", () => {
    const lines = formatEvent({ ...samples["step.message"], text: "First.\n\nSecond.\nThird." });

    expect(lines.filter((line) => isShown(line, "normal")).map((line) => line.text)).toEqual([
      "First.",
    ]);
    expect(lines.map((line) => line.text)).toEqual(["First.", "  Second.", "  Third."]);
  });

  it("shows how much of a huge message is left out", () => {
    const lines = formatEvent({
      ...samples["agent.failed"],
      problem: "x\n".repeat(100),
      hint: null,
    });

    expect(lines).toHaveLength(25);
    expect(lines.at(-1)?.text).toBe("  … 76 more lines");
  });

  it("lists some of the agents that a stopping run waits for", () => {
    const many = Array.from({ length: 1000 }, (_, n) => `main_work${String(n)}`);

    const reason = {
      ...samples["run.stopping"].reason,
      class: "deterministic",
      agent: "main",
    } as const;
    const [waits] = texts({ ...samples["run.stopping"], reason, inFlight: many });

    expect(waits).toContain("main_work0, main_work1");
    expect(waits).toContain("and 994 more");
    expect(waits?.length).toBeLessThan(160);
  });

  it("shows the reason of a stop only at the end of the run if that follows at once", () => {
    const lines = formatEvent({ ...samples["run.stopping"], inFlight: [] });

    expect(lines.filter((line) => isShown(line, "normal"))).toEqual([]);
    expect(lines.filter((line) => isShown(line, "verbose"))).toHaveLength(1);
  });

  it("never prints a control character of models and scripts", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        for (const text of texts(event)) expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });
});
