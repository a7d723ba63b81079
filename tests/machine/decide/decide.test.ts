import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import { decide, parseOutput } from "../../../src/machine/decide/decide.ts";
import { FRESH } from "../../../src/machine/model/agent.ts";
import { agent } from "../../support/agents.ts";
import { failure, IN_USE, output, step } from "../../support/outcomes.ts";

const FREE = "Do it.";
const RULES =
  "---\nallowed_transitions:\n  - { tag: goto, target: A }\n  - { tag: result }\n---\nDo it.";
const ONE = "---\nallowed_transitions:\n  - { tag: goto, target: A }\n---\nDo it.";
const LOST = { folders: new Map(), workflows: new Map(), lostSession: "fail" } as const;

describe("decide, for an output", () => {
  it("moves on the one transition, with its names resolved", () => {
    expect(decide(step(FREE), output("<goto>A</goto>"), LOST)).toEqual({
      kind: "move",
      transitions: [{ tag: "goto", target: "A.md" }],
      implied: false,
    });
  });

  it("uses the only rule if a reply has no tag", () => {
    expect(decide(step(ONE), output("All done."), LOST)).toEqual({
      kind: "move",
      transitions: [{ tag: "goto", target: "A.md" }],
      implied: true,
    });
  });

  it.each([
    ["<goto>A</goto>", "for x by main"],
    ["All done.", "for x by main"],
    ['<goto input="mine">A</goto>', "mine"],
    ['<goto input="">A</goto>', ""],
  ])("gives the next state the input of the rule where the tag has none: %s", (said, input) => {
    const text = ONE.replace("A }", 'A, input: "for {{result}} by {{agent_id}}" }');
    const given = step(text, { agent: agent({ pendingResult: "x" }) });

    expect(decide(given, output(said), LOST)).toMatchObject({
      kind: "move",
      transitions: [{ target: "A.md", input }],
    });
  });

  it("delivers the payload that a rule names as the rule writes it, and reminds of any other", () => {
    const text = RULES.replace("result }", "result, payload: APPROVED }");
    const only = "---\nallowed_transitions: [{ tag: result, payload: '' }]\n---\nDo it.";
    const move = (payload: string) => ({ kind: "move", transitions: [{ tag: "result", payload }] });

    expect(decide(step(text), output("<result>\n  APPROVED </result>"), LOST)).toMatchObject(
      move("APPROVED"),
    );
    expect(decide(step(text), output("<result>Approved</result>"), LOST)).toMatchObject({
      kind: "remind",
      fault: { code: "not-allowed" },
    });
    expect(decide(step(only), output("Nothing to say."), LOST)).toMatchObject(move(""));
  });

  it.each([
    ["a reply, which is reminded", "START.md", "[{ tag: fork }, { tag: join }]", "remind"],
    ["a script", "START.sh", null, "fail"],
    ["the only rule", "START.md", "[{ tag: join, target: A, min: 2 }]", "fail"],
  ])("takes a min over the number of workers for a fault: of %s", (_, name, rules, kind) => {
    const text = rules === null ? "" : `---\nallowed_transitions: ${rules}\n---\nDo it.`;
    const asked = step("", { file: parseStateFile(name, text) });
    const reply = output(rules?.includes("min") === true ? "Done." : '<join min="2">A</join>');

    const decision = decide(asked, reply, LOST);

    expect(decision.kind).toBe(kind);
    expect(JSON.stringify(decision)).toContain(
      '<join> has min=\\"2\\", but there are 0 workers to wait for. Fork more, or reduce min.',
    );
    const worker = { agent: "main_w1", state: "B.md", attributes: {}, end: null };
    const enough = { ...asked, agent: agent({ forked: [worker, worker] }) };
    expect(decide(enough, reply, LOST)).toMatchObject({ kind: "move" });
  });

  const FORKS = `---
allowed_transitions:
  - { tag: fork, target: A, next: B, item: "" }
  - { tag: fork, target: POLL }
  - { tag: goto, target: B }
  - { tag: result }
---
Do it.`;

  it.each([
    ['<fork next="B" item="1">A</fork><fork next="B.md" item="2">A</fork>', 2],
    ['<fork item="1">A</fork><fork item="2">A</fork><goto>B</goto>', 3],
    ["<fork>POLL</fork><result>x</result>", 2],
  ])("moves on all that one reply asks for: %s", (text, count) => {
    const decision = decide(step(FORKS), output(text), LOST);

    expect(decision).toMatchObject({ kind: "move", implied: false });
    expect(decision.kind === "move" && decision.transitions).toHaveLength(count);
  });

  it.each([
    // The rule for A asks for B as the way on.
    ['<fork item="1">A</fork><result>x</result>', "not-allowed", /Tag 1 of 2/],
    ['<fork item="1">A</fork><fork>A</fork><goto>B</goto>', "not-allowed", /Tag 2 of 3/],
    ['<fork item="1">A</fork><goto>A</goto>', "not-allowed", /Tag 1 of 2.*Tag 2 of 2/],
    ["<fork>NOWHERE</fork><fork>A</fork><goto>B</goto>", "unknown-state", /Tag 1 .*Tag 2 /],
    ['<fork next="B" item="1">A</fork><fork next="A" item="1">A</fork>', "malformed-tag", /same/],
    ['<fork>POLL</fork><fork cd="gone" >POLL</fork><goto>B</goto>', "bad-cd", /Tag 2 .*gone/],
  ])("applies nothing of a row with a fault, and reminds of all: %s", (text, code, message) => {
    expect(decide(step(FORKS), output(text), LOST)).toMatchObject({
      kind: "remind",
      fault: { code, message: expect.stringMatching(message) as string },
    });
  });

  it("looks up the folders of all forks", () => {
    const said = output(
      '<fork cd="x">A</fork><fork cd="y">A</fork><fork cd="x">B</fork><goto>B</goto>',
    );
    const folders = new Map([
      ["x", "/x"],
      ["y", "/y"],
    ]);

    expect(parseOutput(step(FREE), said).folders).toEqual(["x", "y"]);
    expect(decide(step(FREE), said, { ...LOST, folders })).toMatchObject({
      transitions: [{ cd: "/x" }, { cd: "/y" }, { cd: "/x" }, { target: "B.md" }],
    });
  });

  it("implies nothing from a reply that did not speak", () => {
    expect(decide(step(ONE), output(""), LOST)).toMatchObject({
      kind: "remind",
      fault: { code: "no-reply" },
    });
  });

  it("implies nothing if there is any tag", () => {
    expect(decide(step(ONE), output("<goto>B</goto>"), LOST)).toMatchObject({
      kind: "remind",
      fault: { code: "not-allowed" },
    });
  });

  it.each([
    ["no tag", "Hm.", "no-tag"],
    ["two tags", "<goto>A</goto> <goto>B</goto>", "several-tags"],
    ["a tag left open", "<goto>A", "unclosed-tag"],
    ["a malformed tag", "<call>A</call>", "malformed-tag"],
    ["an unknown state", "<goto>NOWHERE</goto>", "unknown-state"],
    ["a tag against the rules", "<reset>A</reset>", "not-allowed"],
  ])("reminds of %s where there are rules, and fails where there are none", (_, text, code) => {
    expect(decide(step(RULES), output(text), LOST)).toMatchObject({
      kind: "remind",
      fault: { code },
    });
    if (code !== "not-allowed") {
      expect(decide(step(FREE), output(text), LOST)).toMatchObject({
        kind: "fail",
        failure: { class: "deterministic" },
      });
    }
  });

  it("fails after three reminders, with their number in the message", () => {
    const reminded = step(RULES, { agent: agent({ reminders: 3 }) });

    expect(decide(reminded, output("Hm."), LOST)).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringContaining("3 reminders") as string,
      },
    });
  });

  it("never reminds a script", () => {
    const script = step("", { file: parseStateFile("POLL.sh", "echo hi") });

    expect(decide(script, output("hi", { session: null }), LOST)).toMatchObject({ kind: "fail" });
  });

  it("continues a conversation that the budget broke off", () => {
    expect(decide(step(FREE), output("Half a tho", { capped: true }), LOST)).toMatchObject({
      kind: "continue",
    });
    expect(decide(step(ONE), output("Half a tho", { capped: true }), LOST)).toMatchObject({
      kind: "continue",
    });
  });

  it("implies no transition if background work did not complete, and names it in the reminder", () => {
    const said = output("The build runs.", { endedWork: ['the command "build"'] });
    const named = expect.stringContaining('the command "build"') as string;

    expect(decide(step(ONE), said, LOST)).toMatchObject({
      kind: "remind",
      fault: { code: "no-tag", message: named },
    });
    expect(decide(step(FREE), said, LOST)).toMatchObject({
      kind: "fail",
      failure: { message: named },
    });
    expect(decide(step(FREE), { ...said, ...output("<goto>A</goto>") }, LOST)).toMatchObject({
      kind: "move",
    });
  });

  it("uses the transition of a capped reply", () => {
    expect(decide(step(FREE), output("<goto>A</goto>", { capped: true }), LOST)).toMatchObject({
      kind: "move",
    });
  });

  it("puts the folder that was found in place of cd, and faults one that was not", () => {
    const said = output('<reset cd="sub">A</reset>');

    expect(parseOutput(step(FREE), said).folders).toEqual(["sub"]);
    expect(parseOutput(step(FREE), output("<goto>A</goto>")).folders).toEqual([]);
    expect(parseOutput(step(FREE), failure("crash")).folders).toEqual([]);
    expect(
      decide(step(FREE), said, { ...LOST, folders: new Map([["sub", "/repo/sub"]]) }),
    ).toMatchObject({
      kind: "move",
      transitions: [{ cd: "/repo/sub" }],
    });
    expect(decide(step(FREE), said, LOST)).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringContaining("sub") as string,
      },
    });
  });

  it("looks up the cd of the only rule too, and fails at once when that folder is gone", () => {
    const moved = step(`---
allowed_transitions:
  - { tag: reset, target: A, cd: ../wt }
---
Do it.`);

    expect(parseOutput(moved, output("All done.")).folders).toEqual(["../wt"]);
    expect(
      decide(moved, output("All done."), { ...LOST, folders: new Map([["../wt", "/wt"]]) }),
    ).toMatchObject({
      kind: "move",
      transitions: [{ tag: "reset", cd: "/wt" }],
      implied: true,
    });
    expect(decide(moved, output("All done."), LOST)).toMatchObject({ kind: "fail" });
  });

  it.each([
    ["/clear", '"/clear"'],
    ["/home/ada holds the data. Read it.", '"/home/ada"'],
  ])("explains a prompt that the client ran as a command: %j", (text, command) => {
    const silent = { ...output(""), spoke: false };
    const rule = "---\nallowed_transitions: [{ tag: goto, target: A }]\n---\n";

    expect(decide(step(text), silent, LOST)).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringContaining(`the prompt starts with ${command}`) as string,
        hint: expect.stringContaining("<reset>") as string,
      },
    });
    expect(decide(step(rule + text), silent, LOST)).toMatchObject({
      kind: "remind",
      fault: { code: "no-reply", message: expect.stringContaining(command) as string },
    });
    expect(decide(step("Do /clear it."), silent, LOST)).toMatchObject({
      kind: "fail",
      failure: {
        message: "The model did not reply.",
      },
    });
  });

  it("does not remind a model of a prompt below a command, which it did not receive", () => {
    const silent = { ...output(""), spoke: false };
    const rule = "---\nallowed_transitions: [{ tag: goto, target: A }]\n---\n";

    expect(decide(step(`${rule}/clear\n\nPlan it.\n`), silent, LOST)).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringContaining('the prompt starts with "/clear"') as string,
      },
    });
  });

  it("fails at an oversized payload, with any other output", () => {
    const huge = output("<result>x</result>");
    const script = step("", { file: parseStateFile("POLL.sh", "echo hi") });

    expect(
      decide(script, { ...huge, reading: { ...huge.reading, oversized: true } }, LOST),
    ).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringContaining("16 MiB") as string,
        hint: expect.stringContaining("to a file") as string,
      },
    });
  });

  it("fails at once at an invalid rule", () => {
    const wrong = step(RULES, { names: ["START.md"] });

    expect(decide(wrong, output("<goto>A</goto>"), LOST)).toMatchObject({ kind: "fail" });
  });
});

describe("decide, for a failure", () => {
  it("retries a crash three times, then fails with that number", () => {
    expect(decide(step(FREE), failure("crash"), LOST)).toMatchObject({
      kind: "retry",
      failure: {
        class: "crash",
      },
    });
    const tried = step(FREE, { agent: agent({ retries: 3 }) });
    expect(decide(tried, failure("crash"), LOST)).toMatchObject({
      kind: "fail",
      failure: {
        class: "crash",
        message: expect.stringContaining("4 times") as string,
      },
    });
  });

  it("begins again at once, uncounted, when a new session was refused as in use", () => {
    const fresh = { mode: "fresh", id: "s9" } as const;
    const refused = failure(IN_USE);

    expect(decide(step(FREE, { session: fresh }), refused, LOST)).toMatchObject({ kind: "again" });
  });

  it.each(["outage", "limit", "cancelled", "deterministic"] as const)(
    "knows what %s means",
    (of) => {
      const kinds = {
        outage: "retry",
        limit: "limit",
        cancelled: "cancelled",
        deterministic: "fail",
      };
      expect(decide(step(FREE), failure(of), LOST)).toMatchObject({ kind: kinds[of] });
    },
  );

  it("enters a state again if only the conversation of its own attempts is lost", () => {
    const reminded = agent({ session: { mode: "resume", id: "s2" }, entered: FRESH });

    expect(decide(step(FREE, { agent: reminded }), failure("lost-session"), LOST)).toMatchObject({
      kind: "reenter",
    });
  });

  it("fails when the conversation that the state was entered with is gone, unless it may be forgotten", () => {
    expect(decide(step(FREE), failure("lost-session"), LOST)).toMatchObject({
      kind: "fail",
      failure: {
        class: "lost-session",
        hint: expect.stringContaining("--lost-session fresh") as string,
      },
    });
    const allowed = { folders: new Map(), workflows: new Map(), lostSession: "fresh" } as const;
    expect(decide(step(FREE), failure("lost-session"), allowed)).toMatchObject({ kind: "forget" });
  });
});
