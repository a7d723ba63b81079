import { describe, expect, it } from "vitest";
import { piecesOf } from "../../../../src/dashboard/page/rows/step-text.ts";
import { MAX_MESSAGE, truncate } from "../../../../src/log/truncate.ts";
import { logged } from "./logged.ts";

const said = (seq: number, text: string) => logged(seq, "step.message", { agent: "main", text });
const wrote = (seq: number, text: string, stream = "stdout") =>
  logged(seq, "step.output", { agent: "main", stream, text });

describe("what a step has said", () => {
  it("stands in its order, once each, whoever told it", () => {
    const tool = logged(3, "step.tool", { agent: "main", tool: "Bash", argument: "npm test" });
    const detail = { step: 7, said: ["I test"], did: [said(2, "I test"), tool] };
    const doing = { step: 7, events: [tool, said(4, "All pass")] };

    expect(piecesOf(detail, doing)).toEqual([
      { kind: "message", seq: 2, text: "I test" },
      { kind: "tool", seq: 3, tool: "Bash", text: "npm test" },
      { kind: "message", seq: 4, text: "All pass" },
    ]);
  });

  it("has nothing of another step of its agent", () => {
    const doing = { step: 8, events: [said(4, "Next")] };

    expect(piecesOf({ step: 7, said: [], did: [] }, doing)).toEqual([]);
  });

  it("is whole where the log has only its beginning", () => {
    const long = "word ".repeat(10_000);
    const detail = {
      step: 7,
      said: ["first", long],
      did: [said(1, "first"), said(2, truncate(long, MAX_MESSAGE))],
    };

    expect(piecesOf(detail, undefined).map(({ text }) => text)).toEqual(["first", long]);
  });

  it("joins lines of one output, and keeps the two apart", () => {
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

  it("shows what would move or turn the text around it", () => {
    const detail = { step: 7, said: [], did: [said(1, "a\u001b[2Jb\n\u202ec<b>d</b>")] };

    expect(piecesOf(detail, undefined)[0]?.text).toBe("a\u241b[2Jb\n\\u202ec<b>d</b>");
  });
});
