import { describe, expect, it } from "vitest";
import { type Graph, linesOf } from "../../../src/analysis/graph/graph.ts";
import { graphOf } from "../../../src/analysis/graph/graph-of.ts";
import { overlayRun } from "../../../src/analysis/graph/overlay-run.ts";
import { outlineOf, promptWith } from "../../support/workflow/outlines.ts";

/** Each edge in short: `A.md call B.md: call`. */
function short({ edges }: Graph): readonly string[] {
  return edges.map(({ from, kind, to, labels, times }) => {
    return `${from} ${kind} ${to}: ${labels.join(", ")}${times === null ? "" : ` ${String(times)}×`}`;
  });
}

const draw = (files: Readonly<Record<string, string>>) => graphOf(outlineOf(files));

describe("graphOf", () => {
  it("draws a call and its return, through all called states", () => {
    const graph = draw({
      "START.md": promptWith("tag: call, target: B, return: D"),
      "B.md": promptWith("tag: goto, target: C"),
      "C.md": promptWith("tag: result"),
      "D.md": promptWith("tag: result"),
    });

    expect(short(graph)).toEqual([
      "START.md call B.md: call",
      "D.md way end:main: result",
      "B.md way C.md: goto",
      "C.md return D.md: result",
    ]);
  });

  it("draws no return after a reset that drops the frames", () => {
    const called = (frames: string) => ({
      "START.md": promptWith("tag: function, target: B, return: D"),
      "B.sh": `echo '<reset${frames}>C</reset>'`,
      "C.sh": "echo '<result>x</result>'",
      "D.sh": "echo '<result>y</result>'",
    });

    expect(short(draw(called("")))).toContain("C.sh way end:main: result x");
    expect(short(draw(called("")))).not.toContain("C.sh return D.sh: result x");
    expect(short(draw(called(' frames="keep"')))).toContain("C.sh return D.sh: result x");
  });

  it("draws the results of workers at the join, or at a separate end without a join", () => {
    const worker = { "W.md": promptWith("tag: result") };

    expect(
      short(draw({ ...worker, "START.sh": "echo '<fork>W</fork><join>M</join>'", "M.sh": "" })),
    ).toEqual([
      "START.sh fork W.md: fork",
      "START.sh join M.sh: join",
      "W.md collect M.sh: result",
    ]);
    expect(
      short(draw({ ...worker, "START.sh": `echo '<fork next="M">W</fork>'`, "M.sh": "" })),
    ).toEqual([
      "START.sh fork W.md: fork",
      "START.sh way M.sh: next",
      "W.md way end:worker: result",
    ]);
  });

  it("draws a gate with its success, failure and on_fail", () => {
    const graph = draw({
      "START.md": promptWith("tag: goto, target: B, verify: TESTS, attempts: 3, on_fail: C"),
      "TESTS.sh": "echo '<goto>NEVER</goto>'",
      "B.md": promptWith("tag: result, payload: DONE"),
      "C.md": promptWith("tag: result"),
    });

    expect(short(graph)).toEqual([
      "START.md gate TESTS.sh: goto",
      "TESTS.sh refused START.md: fails",
      "TESTS.sh diverted C.md: on_fail, after 3 times",
      "TESTS.sh way B.md: passes",
      "B.md way end:main: result DONE",
      "C.md way end:main: result",
    ]);
    expect(graph.nodes.find(({ id }) => id === "TESTS.sh")).toMatchObject({
      ...{ gate: true, reached: true },
    });
  });

  it("draws a question with its answers and its timeout", () => {
    const rule = 'tag: ask, next: B, options: "yes|no", timeout: 24h, timeout_next: C';
    const graph = draw({
      "START.md": `${promptWith(rule)}Ask: <ask next="B">Should I deploy?</ask>`,
      "B.sh": "",
      "C.sh": "echo '<ask next=\"B\">Why?</ask>'",
    });

    const questions = graph.nodes.filter(({ kind }) => kind === "question");
    expect(questions.map(({ label }) => label)).toEqual(["Should I deploy?", "Why?"]);
    expect(short(graph).map((edge) => edge.replaceAll(/question:\S+ \d/g, "?"))).toEqual([
      "START.md way ?: ask",
      "? way B.sh: yes | no",
      "? diverted C.sh: after 24h",
      "C.sh way ?: ask",
      "? way B.sh: answer",
    ]);
  });

  it("draws a call of another workflow and its return", () => {
    const graph = draw({
      "START.md": promptWith("tag: function-workflow, target: ../lib, return: B"),
      "B.sh": "",
    });

    expect(short(graph)).toEqual([
      "START.md call workflow:../lib: function-workflow",
      "workflow:../lib return B.sh: result",
    ]);
  });

  it("distinguishes missing, open and unreachable states", () => {
    const { nodes, edges } = draw({
      "START.sh": '# raymond: on_error=GONE\necho "<goto>$NEXT</goto>"',
      "ALONE.md": promptWith("tag: result"),
    });

    expect(nodes).toMatchObject([
      { id: "START.sh", kind: "script", entry: true, label: "START" },
      { id: "missing:GONE", kind: "missing", problem: expect.stringContaining("GONE") as unknown },
      { id: "open:…", kind: "open" },
      { id: "ALONE.md", reached: false },
    ]);
    expect(edges.map(({ kind }) => kind)).toEqual(["diverted", "way"]);
  });

  it("fills an open rule from the text of the prompt", () => {
    const graph = draw({
      "START.md": `${promptWith("tag: goto", "tag: result")}End with <goto>B</goto> or <goto>C</goto>.`,
      "B.sh": "",
      "C.sh": "",
    });

    expect(short(graph)).toEqual([
      "START.md way end:main: result",
      "START.md way B.sh: goto",
      "START.md way C.sh: goto",
    ]);
  });

  it("labels edges with delays and payloads, and nodes with limits", () => {
    const graph = draw({
      "START.md": `---
model: haiku
effort: low
max_visits: 3
budget: 2
allowed_transitions: [{ tag: result, payload: "YES" }, { tag: goto, target: B }]
---
x`,
      "B.sh": `echo '<reset delay="90m">B</reset>'; echo "<reset delay=\\"$d\\">B</reset>"`,
    });

    expect(graph.nodes[0]?.notes).toEqual([
      ...["haiku, low effort", "3 visits at most", "$2.00 at most"],
    ]);
    expect(short(graph)).toEqual([
      "START.md way end:main: result YES",
      "START.md way B.sh: goto",
      "B.sh way B.sh: reset in 90m, reset later",
    ]);
  });
});

describe("overlayRun", () => {
  const graph = draw({
    "START.md": promptWith(
      "tag: goto, target: B, verify: G",
      "tag: function, target: F, return: B",
    ),
    "F.sh": "echo '<result>x</result>'",
    "G.sh": "",
    "B.sh": "echo '<fork>W</fork><join>C</join>'",
    "W.sh": "echo '<result>w</result>'",
    "C.sh": "echo '<result>c</result>'",
  });

  it("counts the moves of a run, through gates, calls, forks and joins", () => {
    const shown = overlayRun(graph, {
      states: new Map([["START.md", { visits: 2, durationMs: 5, costMicroUsd: 7 }]]),
      trips: [
        { kind: "refused", from: "START.md", to: "G.sh", times: 2 },
        { kind: "moved", from: "START.md", to: "B.sh", times: 1 },
        { kind: "forked", from: "B.sh", to: "W.sh", times: 4 },
        { kind: "moved", from: "B.sh", to: "C.sh", times: 1 },
        { kind: "end", from: "W.sh", worker: true, times: 4 },
        { kind: "end", from: "C.sh", worker: false, times: 1 },
      ],
    });

    expect(short(shown)).toEqual([
      "START.md gate G.sh: goto 3×",
      "G.sh refused START.md: fails 2×",
      "G.sh way B.sh: passes 1×",
      "START.md call F.sh: function",
      "B.sh fork W.sh: fork 4×",
      "B.sh join C.sh: join 1×",
      "C.sh way end:main: result c 1×",
      "F.sh return B.sh: result x",
      "W.sh collect C.sh: result w 4×",
    ]);
    expect(shown.nodes[0]?.visited).toEqual({ visits: 2, durationMs: 5, costMicroUsd: 7 });
  });

  it("shows no duration before the first attempt has ended", () => {
    const states = new Map([["START.md", { visits: 4, durationMs: null, costMicroUsd: 0 }]]);
    const [start] = overlayRun(graph, { states, trips: [] }).nodes;

    expect(start && linesOf(start)).toEqual(["START", "4×"]);
  });

  it("adds undeclared moves after all declared ones", () => {
    const free = draw({
      "START.md": "Do what is best.",
      "A.md": promptWith("tag: result"),
      "B.sh": 'echo "<goto>$where</goto>"',
    });
    const shown = overlayRun(free, {
      states: new Map(),
      trips: [
        { kind: "moved", from: "START.md", to: "B.sh", times: 2 },
        { kind: "forked", from: "START.md", to: "A.md", times: 3 },
        { kind: "moved", from: "START.md", to: "GONE.md", times: 1 },
        { kind: "moved", from: "GONE.md", to: "A.md", times: 1 },
        { kind: "end", from: "START.md", worker: false, times: 1 },
      ],
    });

    expect(short(shown)).toEqual([
      ...short(free),
      "START.md undeclared A.md: fork, not declared 3×",
      "START.md undeclared B.sh: not declared 2×",
      "START.md undeclared end:main: result, not declared 1×",
    ]);
    expect(shown.nodes.slice(0, free.nodes.length)).toEqual(free.nodes);
    expect(shown.nodes.at(-1)).toMatchObject({ id: "end:main", kind: "end" });
  });

  it("draws the declared moves of a state that only the run has reached", () => {
    const outline = outlineOf({
      "START.md": "Do what is best.",
      "W.md": promptWith("tag: goto, target: X"),
      "X.md": promptWith("tag: result"),
      "OFF.sh": "echo '<goto>X</goto>'",
    });
    const shown = overlayRun(graphOf(outline, ["START.md", "W.md", "X.md"]), {
      states: new Map(),
      trips: [
        { kind: "forked", from: "START.md", to: "W.md", times: 1 },
        { kind: "moved", from: "W.md", to: "X.md", times: 1 },
        { kind: "end", from: "X.md", worker: true, times: 1 },
      ],
    });

    expect(short(shown)).toEqual([
      "W.md way X.md: goto 1×",
      "X.md way end:main: result 1×",
      "START.md undeclared W.md: fork, not declared 1×",
    ]);
    expect(shown.nodes.find(({ id }) => id === "W.md")?.reached).toBe(false);
  });

  it("labels a move to a variable state as known when it ran", () => {
    const open = draw({ "START.sh": 'echo "<goto>$NEXT</goto>"', "A.sh": "" });
    const trips = [{ kind: "moved", from: "START.sh", to: "A.sh", times: 1 }] as const;

    expect(short(overlayRun(open, { states: new Map(), trips })).at(-1)).toBe(
      "START.sh undeclared A.sh: known when it ran 1×",
    );
  });

  it("counts a result on the edge that stands for many", () => {
    const callers = Array.from({ length: 10 }, (_, at) => `C${String(at)}`);
    const sources = Array.from({ length: 10 }, (_, at) => `G${String(at)}`);
    const folded = draw({
      "START.md": promptWith(...callers.map((name) => `tag: function, target: F, return: ${name}`)),
      ...Object.fromEntries(callers.map((name) => [`${name}.md`, promptWith("tag: result")])),
      "F.md": promptWith(...sources.map((name) => `tag: goto, target: ${name}`)),
      ...Object.fromEntries(sources.map((name) => [`${name}.md`, promptWith("tag: result")])),
    });
    const trips = [{ kind: "moved", from: "G7.md", to: "C3.md", times: 2 }] as const;
    const shown = overlayRun(folded, { states: new Map(), trips });

    expect(shown.edges.filter(({ times }) => times !== null)).toMatchObject([
      { from: "F.md", to: "C3.md", kind: "return", times: 2 },
    ]);
  });
});
