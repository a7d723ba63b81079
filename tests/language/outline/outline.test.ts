import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  nextStates,
  possibleMoves,
  type ReadState,
  reachableFrom,
} from "../../../src/language/outline/outline.ts";
import { outlineState } from "../../../src/language/outline/outline-state.ts";
import { outlineWorkflow } from "../../../src/language/outline/outline-workflow.ts";
import { InvalidFileError, workflowErrors } from "../../../src/language/workflow/errors.ts";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import type { Platform } from "../../../src/language/workflow/files/platform.ts";

const NAMES = ["A.md", "B.md", "C.sh", "C.bat", "GATE.sh"];

function read(name: string, text: string, names = NAMES, platform: Platform = "unix"): ReadState {
  const state = outlineState(
    { name, source: name, file: parseStateFile(name, text) },
    names,
    platform,
  );
  if (!state.ok) throw new Error(state.problem.message);
  return state;
}

/** A move in short: what leads there, where it stands, and each state by its role. */
function short({ moves }: ReadState): readonly string[] {
  return moves.map(({ by, origin, at, destinations }) => {
    const ends = destinations.map(
      ({ role, written, state }) => `${role}=${state ?? written ?? "?"}`,
    );
    return [`${String(at.line)}:${String(at.column)}`, origin, by, ...ends].join(" ");
  });
}

describe("declaredMoves", () => {
  it("is a move for each rule, with all states that it names, its gate's too", () => {
    const state = read(
      "A.md",
      `---
allowed_transitions:
  - { tag: goto, target: B, verify: GATE, on_fail: C }
  - { tag: call, target: NONE, return: B }
  - { tag: goto }
  - { tag: join, target: B, timeout: 1h, timeout_next: C }
  - { tag: fork, target: B, item: "" }
  - { tag: result, payload: YES }
max_context: 70%
on_context: C
---
Do it.`,
    );

    expect(short(state)).toEqual([
      "3:5 declared goto target=B.md verify=GATE.sh on_fail=C.sh",
      "4:5 declared call target=NONE return=B.md",
      "5:5 declared goto target=?",
      "6:5 declared join target=B.md timeout_next=C.sh",
      "7:5 declared fork target=B.md",
      "8:5 declared result",
      "10:13 declared on_context target=C.sh",
    ]);
    expect(state.moves[1]?.destinations[0]?.fault).toMatchObject({ code: "unknown-state" });
    expect(state.moves.map(({ values }) => values)).toEqual([
      {},
      {},
      {},
      { timeout: "1h" },
      { item: "" },
      { payload: "YES" },
      {},
    ]);
    expect(state.problem).toMatchObject({ at: { line: 4, column: 5 } });
  });

  it("is a move for the on_error of a script", () => {
    expect(short(read("C.sh", "#!/bin/bash\n# raymond: on_error=A\nmake"))).toEqual([
      "2:12 declared on_error target=A.md",
    ]);
  });
});

describe("mentionedMoves", () => {
  it("is found in the prose, the lists and the code of a prompt, each way once", () => {
    const state = read(
      "A.md",
      "If good: <goto>B</goto>\n- else `<goto>C</goto>`\n```\n<goto>B</goto>\n```\nOr <result>why</result>",
    );

    expect(short(state)).toEqual([
      "1:10 mentioned goto target=B.md",
      "2:9 mentioned goto target=C.sh",
      "6:4 mentioned result",
    ]);
  });

  it.each([
    ["end with <result> and why", ["1:10 mentioned result"]],
    [
      "end with <result> or <goto>B</goto>",
      ["1:10 mentioned result", "1:22 mentioned goto target=B.md"],
    ],
    ["use <goto> to continue", []],
    ["<goto>B", []],
    ["</goto>", []],
    ["<gotox>B</gotox>", []],
    ["<goto>a <b> c</goto>", []],
    ["<goto>…</goto>", ["1:1 mentioned goto target=?"]],
    ["<goto>{{next}}</goto>", ["1:1 mentioned goto target=?"]],
    ['<call return="B">C</call>', ["1:1 mentioned call target=C.sh return=B.md"]],
    [
      '<call input="<goto>B</goto>" return="B">C</call>',
      ["1:1 mentioned call target=C.sh return=B.md"],
    ],
    ["<result/>", ["1:1 mentioned result"]],
  ])("ignores prose: %j", (body, expected) => {
    expect(short(read("A.md", body))).toEqual(expected);
  });

  it.each([
    ["C.sh", 'echo "<goto>B</goto>"', ["1:7 mentioned goto target=B.md"]],
    ["C.sh", '# <goto>A</goto>\n\techo "<goto>B</goto>"', ["2:8 mentioned goto target=B.md"]],
    ["C.sh", 'echo "see <goto>A</goto>" >&2', []],
    ["C.sh", 'echo no >&2; echo "<goto>B</goto>"', ["1:20 mentioned goto target=B.md"]],
    ["C.sh", 'echo "<goto>$next</goto>"', ["1:7 mentioned goto target=?"]],
    ["C.sh", 'raymond tag goto B --input "$x"', ["1:1 mentioned goto target=B.md"]],
    ["C.sh", 'if x; then raymond tag goto "$next"; fi', ["1:12 mentioned goto target=?"]],
    [
      "C.sh",
      "raymond tag fork \\\n  --item-lines list.txt --next=A B | tee log\nraymond tag join C.sh",
      ["1:1 mentioned fork target=B.md next=A.md", "3:1 mentioned join target=C.sh"],
    ],
    ["C.sh", "# raymond tag goto B\nraymond tag result - <x", ["2:1 mentioned result"]],
    ["C.sh", "printf '<goto>%s</goto>' B", ["1:9 mentioned goto target=?"]],
    [
      "C.sh",
      'echo "<fork next=\\"A\\" item=\\"$i\\">B</fork><join>C</join>"',
      ["1:7 mentioned fork target=B.md next=A.md", "1:44 mentioned join target=C.sh"],
    ],
    [
      "C.bat",
      "REM <goto>A</goto>\r\necho ^<goto^>B^</goto^>\r\n",
      ["2:7 mentioned goto target=B.md"],
    ],
    ["C.bat", "echo ^<goto^>%next%^</goto^>", ["1:7 mentioned goto target=?"]],
    [
      "C.ps1",
      'Write-Output "<call return=`"A`">B</call>"',
      ["1:15 mentioned call target=B.md return=A.md"],
    ],
    ["C.sh", "cat <<END\n<result>\n$(x)\n</result>\nEND", ["2:1 mentioned result"]],
  ])("resolves shell escapes of %s: %j", (name, text, expected) => {
    expect(short(read(name, text))).toEqual(expected);
  });

  it("reports malformed tags, but not values of variables", () => {
    const problems = (text: string) => read("C.sh", text).moves.map(({ problem }) => problem);

    expect(problems('echo "<call>B</call>"')).toEqual(["<call> requires the attribute return."]);
    expect(problems('echo "<reset delay=\\"$every\\">$x</reset>"')).toEqual([null]);
    expect(problems('echo "<reset delay=\\"\\">B</reset>"')).toEqual([
      expect.stringContaining("delay"),
    ]);
    expect(problems('echo "<reset delay=\\"soon\\">B</reset>"')).toEqual([
      expect.stringContaining("must be a duration"),
    ]);
  });

  it("stands in the line and the column of the one file that holds it", () => {
    const { body } = { body: "Go\n<goto>B</goto>" };
    const file = { ...parseStateFile("A.md", body), bodyLine: 7, bodyColumn: 9 };
    const state = outlineState({ name: "A.md", source: "f.yaml", file }, NAMES, "unix");

    expect(state.ok && state.moves[0]?.at).toEqual({ line: 8, column: 9 });
  });

  // Hours, if it took the square.
  it("takes linear time for any text", { timeout: 600_000 }, () => {
    const long = (piece: string) => piece.repeat(Math.ceil(2e6 / piece.length));
    for (const piece of [
      "<goto>A</goto>\n",
      "<result>",
      "<",
      '<goto input="',
      "a\n",
      "{{a}} ",
      "`",
    ]) {
      expect(() => read("A.md", long(piece))).not.toThrow();
    }
  });
});

describe("possibleMoves", () => {
  it("uses the rules of a prompt", () => {
    const state = read(
      "A.md",
      "---\nallowed_transitions:\n  - { tag: goto, target: B }\n---\n<goto>C</goto> <goto>B</goto>",
    );

    expect(nextStates(state)).toEqual(["B.md"]);
    expect(possibleMoves(state)).toHaveLength(1);
  });

  it("fills open rules from the text", () => {
    const text =
      "---\nallowed_transitions:\n  - { tag: goto }\n---\n<goto>C</goto> <reset>B</reset>";

    expect(nextStates(read("A.md", text))).toEqual(["C.sh"]);
  });

  it("uses the text without rules", () => {
    expect(nextStates(read("A.md", '<call return="B">C</call>'))).toEqual(["C.sh", "B.md"]);
  });

  it("reaches over several states, and round a loop", () => {
    const names = ["A.md", "B.md", "C.md", "D.md"];
    const states = [
      read("A.md", "<goto>B</goto>", names),
      read("B.md", "<goto>A</goto> or <goto>C</goto>", names),
      outlineState(
        { name: "C.md", source: "C.md", error: workflowErrors["workflow/unconvertible"]("C") },
        names,
        "unix",
      ),
      read("D.md", "<result>x</result>", names),
    ];

    expect([...reachableFrom(states, ["A.md"])]).toEqual(["A.md", "B.md", "C.md"]);
  });
});

describe("outlineState", () => {
  it("reports the problem of a file with its position", () => {
    const error = new InvalidFileError("/w/A.md", { line: 3, column: 4 }, "It is so.", "Do.");

    expect(outlineState({ name: "A.md", source: "/w/A.md", error }, NAMES, "unix")).toEqual({
      ok: false,
      name: "A.md",
      source: "/w/A.md",
      problem: { at: { line: 3, column: 4 }, message: "It is so.", hint: "Do." },
      further: [],
    });
  });

  it("has the placeholders of the prompt and of its rules", () => {
    const text =
      '---\nallowed_transitions:\n  - { tag: goto, target: B, input: "{{a}} {{b}}" }\n---\n\nOf {{a}},\n {{c}}';

    expect(read("A.md", text).placeholders).toEqual([
      { name: "a", root: "a", path: [], at: { line: 6, column: 4 } },
      { name: "c", root: "c", path: [], at: { line: 7, column: 2 } },
      { name: "b", root: "b", path: [], at: { line: 3, column: 5 } },
    ]);
  });

  it("accepts every text", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "/",
      "goto",
      "result",
      '"',
      "=",
      "`",
      "\\",
      "\n",
      "A",
      " ",
    );

    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom(...NAMES), (pieces, name) => {
        const body = pieces.join("");
        for (const { at } of read(name, body).moves) {
          const line = body.split("\n")[at.line - 1] ?? "";
          expect(line[at.column - 1]).toBe("<");
        }
      }),
    );
  });
});

describe("outlineWorkflow", () => {
  const facts = { names: NAMES, platform: "unix", workflow: "/w" } as const;

  it("resolves the entry state, or reports why there is none", () => {
    expect(outlineWorkflow(facts, [], "A.md").entry).toEqual({ ok: true, name: "A.md" });
    expect(outlineWorkflow({ ...facts, names: ["START.md"] }, [], null).entry).toEqual({
      ok: true,
      name: "START.md",
    });
    expect(outlineWorkflow(facts, [], null).entry).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining("/w has no entry state") as unknown },
    });
  });
});
