import { describe, expect, it } from "vitest";
import { RecoveredSessionReader } from "../../../../src/clients/claude/transcripts/recovered-session-reader.ts";
import { writtenSince } from "../../../../src/clients/common/conversations/conversation-lines.ts";
import type { RecoveredSession } from "../../../../src/machine/model/recovered-session.ts";

const BEGAN = "2026-11-21T12:00:00.000Z";
const EARLIER = "2026-11-21T11:59:59.999Z";
const PROMPT = user("Alpha.");
const CALLS = { type: "tool_use", id: "t1", name: "Bash", input: {} };
const ANSWERS = { type: "tool_result", tool_use_id: "t1", content: "ok" };

describe("a call in a transcript", () => {
  it("has an answer when the model has ended its turn, without text before tool calls", () => {
    const found = read([
      PROMPT,
      assistant("m1", [say("First I look."), CALLS], "tool_use"),
      user([ANSWERS]),
      assistant("m2", [say("Done. <goto>B</goto>")], "end_turn"),
      { type: "last-prompt", lastPrompt: "Alpha." },
    ]);

    expect(found).toMatchObject({ hasPrompt: true, answer: "Done. <goto>B</goto>" });
    expect(found.spend).toMatchObject({
      version: "2.1.330",
      model: "m",
      conversationMicroUsd: null,
    });
    expect(found.spend.tokens).toMatchObject({ input: 2_000, output: 200 });
  });

  it.each([
    "This command requires approval",
    "This Bash command contains multiple operations. The following part requires approval: npm -v",
    "Claude requested permissions to write to /x, but you haven't granted it yet.",
    "Permission to use Bash with command npm test has been denied.",
    "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
  ])("lists a tool call that was denied: %s", (content) => {
    const call = { ...CALLS, input: { command: "npm test" } };
    const denied = { ...ANSWERS, content, is_error: true };
    const found = (answer: object) =>
      read([
        PROMPT,
        assistant("m1", [call], "tool_use"),
        user([answer]),
        assistant("m2", [say("Done.")], "end_turn"),
      ]).denials;

    expect(found(denied)).toEqual([{ tool: "Bash", input: "npm test", exact: "npm test" }]);
    expect(found({ ...denied, is_error: false })).toBeUndefined();
    expect(found({ ...denied, content: `Exit code 1\n${content}` })).toBeUndefined();
  });

  it.each([
    ["a tool has not answered", [PROMPT, assistant("m1", [say("x"), CALLS], "tool_use")]],
    ["a tool has answered last", [PROMPT, assistant("m1", [CALLS], "end_turn"), user([ANSWERS])]],
    ["it was cut off", [PROMPT, assistant("m1", [say("x")], null)]],
    [
      "the user's interrupt is marked",
      [
        PROMPT,
        assistant("m1", [say("x")], "end_turn"),
        user([say("[Request interrupted by user]")]),
      ],
    ],
    [
      "the client speaks for itself",
      [
        PROMPT,
        assistant("m1", [say("No response requested.")], "end_turn", { model: "<synthetic>" }),
      ],
    ],
  ])("is no answer where %s", (_, lines) => {
    expect(read(lines)).toMatchObject({ hasPrompt: true, answer: null });
  });

  it("has only the answer after the feedback of a Stop hook", () => {
    const feedback = { ...user("Stop hook feedback:\nlint fails"), isMeta: true };
    const first = assistant("m1", [say("Done. <result>1</result>")], "end_turn");
    const second = assistant("m2", [say("Fixed. <goto>B</goto>")], "end_turn");

    expect(read([PROMPT, first, feedback, second]).answer).toBe("Fixed. <goto>B</goto>");
    expect(read([PROMPT, first, feedback]).answer).toBeNull();
    const cut = assistant("m1", [say("<goto>")], "max_tokens");
    const rest = assistant("m2", [say("B</goto>")], "end_turn");
    expect(read([PROMPT, cut, feedback, rest]).answer).toBe("<goto>B</goto>");
  });

  it("is no answer while background work is pending", () => {
    const inBackground = { ...user([ANSWERS]), toolUseResult: { backgroundTaskId: "b1" } };
    const scheduled = { ...user([ANSWERS]), toolUseResult: { scheduledFor: 1_795_841_160_000 } };
    const notification = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
    const waits = assistant("m2", [say("It runs.")], "end_turn");
    const done = assistant("m3", [say("<goto>B</goto>")], "end_turn");
    const answer = (...lines: readonly object[]) =>
      read([PROMPT, assistant("m1", [CALLS], "tool_use"), ...lines]).answer;

    expect(answer(inBackground, waits)).toBeNull();
    expect(answer(inBackground, waits, user(notification), done)).toBe("<goto>B</goto>");
    const attachment = { type: "attachment", attachment: { prompt: notification } };
    expect(answer(inBackground, { ...user(""), ...attachment }, done)).toBe("<goto>B</goto>");
    expect(answer(scheduled, waits)).toBeNull();
    expect(answer(scheduled, waits, user("continue"), done)).toBe("<goto>B</goto>");
    expect(answer({ ...scheduled, toolUseResult: { scheduledFor: 0 } }, waits)).toBe("It runs.");
  });

  it("is nothing where all was written down before: a branch begins with a copy of its source", () => {
    const source = [PROMPT, assistant("m1", [say("<goto>B</goto>")], "end_turn")].map((line) => ({
      ...line,
      timestamp: EARLIER,
    }));

    const found = read([...source, { type: "cost-state", totalCostUSD: 1 }]);

    expect(found).toMatchObject({ hasPrompt: false, answer: null });
    expect(found.spend).toMatchObject({
      conversationMicroUsd: null,
      tokens: { input: 0, output: 0 },
    });
  });

  it("has no prompt if the client has only written its own notes", () => {
    expect(read([{ ...user("Continue from where you left off."), isMeta: true }]).hasPrompt).toBe(
      false,
    );
  });

  it("counts a message of several lines once, and those of subagents as well", () => {
    const found = read(
      [PROMPT, assistant("m1", [say("x")], null, {}, 1), assistant("m1", [CALLS], "tool_use")],
      [{ ...assistant("s1", [say("found")], "end_turn"), isSidechain: true }],
    );

    expect(found).toMatchObject({ hasPrompt: true, answer: null });
    expect(found.spend.tokens).toMatchObject({ input: 2_000, output: 200 });
  });

  it("names the total that the client's next one begins with, where it was written down", () => {
    const { spend } = read([
      { type: "cost-state", totalCostUSD: 0.3 },
      PROMPT,
      assistant("m1", [say("x")], "end_turn"),
      { type: "cost-state", totalCostUSD: 0.6 },
    ]);

    expect(spend).toMatchObject({
      conversationMicroUsd: 600_000,
      settled: true,
      unreported: [],
    });
  });

  it("estimates answers below the last stored total", () => {
    const { spend } = read([
      PROMPT,
      { type: "cost-state", totalCostUSD: 0.3 },
      assistant("m1", [say("x")], "end_turn"),
    ]);

    expect(spend).toMatchObject({
      conversationMicroUsd: 300_000,
      reported: [],
      unreported: [{ tokens: { input: 1_000, output: 100 } }],
    });
  });

  it("estimates a request in flight by its size and the conversation before it", () => {
    const used = (...lines: readonly object[]) =>
      read([PROMPT, ...lines]).spend.unreported.map(({ tokens }) => tokens.input);
    const result = (is_error: boolean) => ({
      ...user(""),
      message: { content: [{ type: "tool_result", content: "x".repeat(400), is_error }] },
    });

    expect(used()[0]).toBeGreaterThan(0);
    const [asked = 0] = used(assistant("m1", [CALLS], "tool_use"), result(false));
    expect(asked).toBeGreaterThan(1_000 + 1_000 + 100);
    expect(used(assistant("m1", [CALLS], "tool_use"), result(true))).toEqual([1_000]);
    expect(used(assistant("m1", [say("done")], "end_turn"))).toEqual([1_000]);
  });

  it("is read from any bytes", () => {
    const noise =
      '\u0000{]\n[1]\n7\n{}\n{"type":"user"}\n{"type":"assistant","timestamp":5}\n{"type":';
    const reader = new RecoveredSessionReader(() => true);
    const lines = reader.file();
    for (const line of noise.split("\n")) lines(line);
    expect(reader.recollection(false)).toMatchObject({ hasPrompt: false, answer: null });
  });
});

function read(...files: readonly (readonly object[])[]): RecoveredSession {
  const reader = new RecoveredSessionReader(writtenSince(Date.parse(BEGAN)));
  for (const file of files) {
    const lines = reader.file();
    for (const line of file) lines(JSON.stringify(line));
  }
  return reader.recollection(false);
}

function user(content: string | readonly object[]) {
  const message = { role: "user", content };
  return { type: "user", timestamp: BEGAN, isSidechain: false, message };
}

function assistant(
  id: string,
  content: readonly object[],
  stop_reason: string | null,
  changes: object = {},
  output_tokens = 100,
) {
  const usage = { input_tokens: 1_000, output_tokens };
  const message = { role: "assistant", id, model: "m", content, stop_reason, usage, ...changes };
  return { type: "assistant", timestamp: BEGAN, isSidechain: false, version: "2.1.330", message };
}

function say(text: string) {
  return { type: "text", text };
}
