import { describe, expect, it } from "vitest";
import { diffTexts, piecesOf } from "../../../../src/dashboard/page/model/step-text.ts";
import { MAX_MESSAGE, truncate } from "../../../../src/log/truncate.ts";
import { logged } from "./samples.ts";

const said = (seq: number, text: string) => logged(seq, "step.message", { agent: "main", text });
const wrote = (seq: number, text: string, stream = "stdout") =>
  logged(seq, "step.output", { agent: "main", stream, text });

describe("the output of a step", () => {
  it("is in order without repeats, whether it was loaded or received live", () => {
    const tool = logged(3, "step.tool", { agent: "main", tool: "Bash", argument: "npm test" });
    const detail = { step: 7, said: ["I test"], did: [said(2, "I test"), tool] };
    const doing = { step: 7, events: [tool, said(4, "All pass")] };

    expect(piecesOf(detail, doing)).toEqual([
      { kind: "message", seq: 2, text: "I test" },
      { kind: "tool", seq: 3, tool: "Bash", text: "npm test" },
      { kind: "message", seq: 4, text: "All pass" },
    ]);
  });

  it("contains no output of other steps of the agent", () => {
    const doing = { step: 8, events: [said(4, "Next")] };

    expect(piecesOf({ step: 7, said: [], did: [] }, doing)).toEqual([]);
  });

  it("has complete messages where the log truncates them", () => {
    const long = "word ".repeat(10_000);
    const detail = {
      step: 7,
      said: ["first", long],
      did: [said(1, "first"), said(2, truncate(long, MAX_MESSAGE))],
    };

    expect(piecesOf(detail, undefined).map(({ text }) => text)).toEqual(["first", long]);
  });

  it("joins consecutive lines of the same stream", () => {
    const detail = {
      step: 7,
      said: [],
      did: [wrote(1, "a"), wrote(2, "b"), wrote(3, "oh", "stderr")],
    };

    expect(piecesOf(detail, undefined)).toMatchObject([
      { kind: "stdout", text: "a\nb" },
      { kind: "stderr", text: "oh" },
    ]);
  });
});

const messages = (...texts: readonly string[]) => ({ said: texts, stdout: "" });

describe("the text diff of two steps", () => {
  it("compares messages line by line", () => {
    const [before, after] = [messages("I look", "All is well"), messages("I look\nIt fails")];

    expect(diffTexts(before, after)).toEqual(["  I look", "- All is well", "+ It fails"]);
  });

  it("compares the output of scripts", () => {
    const [before, after] = [
      { said: [], stdout: "one\n" },
      { said: [], stdout: "two\n" },
    ];

    expect(diffTexts(before, after)).toEqual(["- one", "+ two"]);
  });

  it("shows a missing step as empty", () => {
    expect(diffTexts(null, messages("new"))).toEqual(["+ new"]);
    expect(diffTexts(null, messages())).toEqual(["  No output."]);
  });

  it("compares only the first 500 lines, with a note", () => {
    const long = (word: string) => messages(`${word}\n`.repeat(100_000));
    const lines = diffTexts(long("old"), long("new"));

    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toBe("  … only the first 500 lines of each are compared");
  });
});
