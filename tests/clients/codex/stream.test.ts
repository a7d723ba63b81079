import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codex } from "../../../src/clients/codex/agent.ts";
import { CodexStream } from "../../../src/clients/codex/output/stream.ts";
import { outputOf, RECORDED, read, replay, rolloutOf } from "./recorded.ts";

const TURN = { input: 1_800, output: 100, cacheRead: 200, cacheWrite: 0 };

describe("a recorded call", () => {
  it("reports tools, messages, the accepted prompt and each answer's usage", () => {
    const { reports, stream } = replay("tool");

    expect(reports.filter((each) => !each.startsWith("notice"))).toEqual([
      "accepted",
      "message I look first.",
      "tool shell echo 'a b'",
      "message <goto>NEXT</goto>",
      "spending 50",
      "spending 100",
    ]);
    expect(stream.facts).toMatchObject({
      accepted: true,
      text: "<goto>NEXT</goto>",
      verdict: { kind: "completed" },
      spend: { model: "mock-1", tokens: TURN, context: { tokens: 1_050, window: 258_400 } },
    });
    expect(stream.activity).toBe("settled");
  });

  it("has denied calls and no text before them", () => {
    expect(replay("rejected").stream.facts).toMatchObject({
      text: "Done.",
      denials: [{ tool: "exec_command", input: "rm -f x" }],
    });
  });

  it("has the cause of an error and the end of the used-up window", () => {
    expect(replay("limit").stream.facts).toMatchObject({
      verdict: { kind: "failed", cause: { code: "usage_limit_exceeded", status: null } },
      resetsAt: 1_795_709_068_000,
    });
    expect(replay("unauthorized").stream.facts).toMatchObject({
      verdict: { kind: "failed", cause: { code: "http_connection_failed", status: 401 } },
      resetsAt: null,
    });
  });

  it.each(RECORDED)("is read alike in any pieces: %s", (name) => {
    const output = outputOf(name);
    const whole = replay(name);
    const cut = fc.integer({ min: 0, max: output.length });

    fc.assert(
      fc.property(cut, cut, (a, b) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        const parts = [
          output.subarray(0, start),
          output.subarray(start, end),
          output.subarray(end),
        ];
        const { stream } = replay(name, parts);
        expect(stream.facts).toEqual(whole.stream.facts);
      }),
      { numRuns: 50 },
    );
  });

  it("is unchanged after raymond has signaled the client, but its usage counts", () => {
    const ignore = () => undefined;
    const sink = {
      ...{ accepted: ignore, spending: ignore, message: ignore, tool: ignore, notice: ignore },
      ...{ line: ignore, alive: ignore },
    };
    const stream = new CodexStream(sink);
    stream.seal();
    stream.push(outputOf("tool"));
    for (const line of rolloutOf("tool")) stream.stored(line);
    stream.end();

    expect(stream.facts).toMatchObject({ text: null, verdict: null, spend: { tokens: TURN } });
  });

  it("shows its messages in the recorded output", () => {
    expect(codex.messagesIn(outputOf("tool"))).toEqual(["I look first.", "<goto>NEXT</goto>"]);
  });
});

describe("a conversation", () => {
  it("has an answer only when its turn is complete", () => {
    const lines = rolloutOf("tool").filter((line) => line !== "");
    const answers = lines.map((_, index) => read(lines.slice(0, index + 1)).answer);

    expect(answers.slice(0, -1).every((answer) => answer === null)).toBe(true);
    expect(answers.at(-1)).toBe("<goto>NEXT</goto>");
  });

  it("waits for the model after a prompt and after a tool, and closes after the last answer", () => {
    const states = rolloutOf("tool").map((_, index, lines) => {
      const { answering, closing } = read(lines.slice(0, index + 1));
      return answering ? "answering" : closing ? "closing" : "other";
    });
    const changes = states.filter((state, index) => state !== states[index - 1]);

    expect(changes).toEqual(["other", "answering", "other", "answering", "closing", "other"]);
  });

  it("that was interrupted has the usage of its complete answers, and no answer", () => {
    const reader = read(rolloutOf("interrupted"));

    expect(reader).toMatchObject({ hasPrompt: true, answer: null });
    expect(reader.spend.tokens).toEqual({ input: 900, output: 50, cacheRead: 100, cacheWrite: 0 });
  });

  it("that was cut off while the model was answering has an estimate of that request", () => {
    const lines = rolloutOf("interrupted");
    const [prompt, call] = ["Plan it.", '"type":"function_call"'].map((text) =>
      lines.findIndex((line) => line.includes(text)),
    );

    const asked = read(lines.slice(0, (prompt ?? 0) + 1));
    const called = read(lines.slice(0, (call ?? 0) + 1));

    // The prompt, and the instructions that the client adds.
    expect(asked.finalSpend.tokens.input).toBeGreaterThan("Plan it.".length / 4);
    expect(asked.spend.tokens.input).toBe(0);
    expect(called.finalSpend.tokens.output).toBeGreaterThan(0);
  });

  it("that was interrupted during an answer has an estimate of it; one that failed at once is free", () => {
    const lines = rolloutOf("interrupted");
    const call = lines.findIndex((line) => line.includes('"type":"function_call"'));
    const aborted = lines.filter((line) => line.includes('"turn_aborted"'));

    const cut = read([...lines.slice(0, call), ...aborted]);

    expect(cut.spend.tokens.input).toBeGreaterThan(0);
    expect(read(rolloutOf("limit")).finalSpend.tokens.input).toBe(0);
    expect(read(rolloutOf("unauthorized")).finalSpend.tokens.input).toBe(0);
  });

  it("counts no request for a tool that ended after raymond's signal", () => {
    const lines = rolloutOf("interrupted").map((line) => line.replace("aborted by user", "done"));
    const output = lines.findIndex((line) => line.includes("function_call_output"));
    const reader = read(lines.slice(0, output));

    reader.signaled();
    for (const line of lines.slice(output)) reader.line(line);

    expect(reader.finalSpend.tokens).toMatchObject({ input: 900, output: 50 });
    expect(read(lines).finalSpend.tokens.input).toBeGreaterThan(900);
  });

  it("tolerates any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const { answer } = read([line, `{"type":"event_msg","payload":${JSON.stringify(line)}}`]);
        expect(answer).toBeNull();
      }),
    );
  });
});
