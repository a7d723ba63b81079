import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseObject, textAt } from "../../../src/clients/common/json-fields.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { eventLines, readStream, recordedBytes } from "./recorded.ts";

const recorded = (name: string, withheld: readonly string[] = []) =>
  readStream([recordedBytes(name)], withheld);

const user = { type: "message_end", message: { role: "user", content: "hi" } };
const usage = {
  ...{ input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
  cost: { total: 0.001 },
};
const answer = (text: string, more = {}) => ({
  type: "message_end",
  message: {
    ...{ role: "assistant", provider: "p", model: "m", stopReason: "stop", usage },
    content: [{ type: "text", text }],
    ...more,
  },
});
const read = (...events: readonly object[]) => readStream([eventLines(...events)]);

describe("a stream of pi, as recorded", () => {
  it("returns session, model, text, cost and tokens of a simple turn", () => {
    const { facts, reports, activity } = recorded("simple");

    expect(facts).toMatchObject({
      ...{ session: "77777777-1111-4111-8111-111111111111", model: "mocka/mock-a" },
      ...{ accepted: true, settled: true, text: "hello <goto>NEXT</goto>" },
      verdict: { stopReason: "stop", error: null },
    });
    expect(facts.spend).toMatchObject({
      costMicroUsd: 3750,
      tokens: { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0 },
      context: { tokens: 1050, window: null },
    });
    expect(reports).toEqual(["accepted", "message hello <goto>NEXT</goto>"]);
    expect(activity).toBe("settled");
  });

  it("adds up the answers of a call, and reports its tools", () => {
    const { facts, reports, spends } = recorded("tool");

    expect(reports.filter((report) => report.startsWith("tool"))).toEqual(["tool bash echo out"]);
    const { costMicroUsd, reported, unreported } = facts.spend;
    expect(reported).toMatchObject([
      { model: "mock/mock-1", tokens: { output: 100, cacheRead: 200 } },
    ]);
    expect(costMicroUsd).toBe(Math.round(reported[0]?.costMicroUsd ?? 0));
    expect(unreported).toEqual([]);
    expect(spends.at(-1)?.tokens).toEqual(facts.spend.tokens);
  });

  it("keeps the error of an answer after all retries", () => {
    const { facts, reports } = recorded("error-500");

    expect(facts.verdict).toMatchObject({ stopReason: "error" });
    expect(facts.verdict?.error).toMatch(/^500: /);
    expect(facts).toMatchObject({ settled: true, text: null });
    expect(facts.spend).toMatchObject({ costMicroUsd: null, unreported: [] });
    expect(reports.filter((report) => report.startsWith("notice"))).toHaveLength(3);
  });

  it("estimates an answer that was interrupted", () => {
    const { facts, activity, answering } = recorded("interrupted");

    expect(facts).toMatchObject({ settled: false, verdict: null, text: null });
    expect([activity, answering]).toEqual(["thinking", true]);
    expect(facts.spend.costMicroUsd).toBeNull();
    expect(facts.spend.unreported).toMatchObject([
      { model: "mocka/mock-a", tokens: { input: 1000 } },
    ]);
    expect(facts.spend.unreported[0]?.listMicroUsd).toBeGreaterThanOrEqual(3015);
  });

  it("reports only tools that the permissions withhold as denied", () => {
    expect(recorded("withheld").facts.denials).toEqual([]);
    expect(recorded("withheld", ["bash"]).facts.denials).toEqual([
      { tool: "bash", input: "echo out" },
    ]);
  });

  it("records no line that repeats others", () => {
    const { lines } = recorded("tool");

    const types = new Set(lines.map((line) => textAt(parseObject(line) ?? {}, "type")));
    expect([...types].toSorted()).toEqual(
      [
        ...["agent_settled", "agent_start", "message_end", "session"],
        ...["tool_execution_end", "tool_execution_start", "turn_start"],
      ].toSorted(),
    );
  });

  it("reads the same from any chunks", () => {
    const bytes = recordedBytes("tool");
    const whole = readStream([bytes]);

    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 5 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const { facts, reports } = readStream(chunks);
        expect({ facts, reports }).toEqual({ facts: whole.facts, reports: whole.reports });
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe("a stream of pi", () => {
  it("drops the text of an answer that pi requests again", () => {
    const failed = answer("half", { stopReason: "error", errorMessage: "500" });

    const { facts, reports } = read(user, failed, answer("whole"), { type: "agent_settled" });

    expect(facts).toMatchObject({ text: "whole", verdict: { error: null } });
    expect(reports).toEqual(["accepted", "message whole"]);
    // The broken answer reported its usage as well.
    expect(facts.spend.costMicroUsd).toBe(2000);
  });

  it("returns the text after the last tool result", () => {
    const result = { type: "message_end", message: { role: "toolResult", content: [] } };

    expect(read(user, answer("before"), result, answer("after")).facts.text).toBe("after");
  });

  it("counts summaries of the conversation and models that tools call", () => {
    const { facts } = read(
      user,
      { type: "compaction_end", result: { usage } },
      { type: "message_end", message: { role: "toolResult", content: [], usage } },
      answer("x"),
    );

    expect(facts.spend.costMicroUsd).toBe(3000);
  });

  it("estimates answers of a provider that reports no tokens", () => {
    const { facts } = read(user, answer("12345678", { usage: {} }));

    expect(facts.spend).toMatchObject({ costMicroUsd: null, tokens: { input: 1, output: 2 } });
  });

  it("ignores a text and an end after raymond has signaled the client", () => {
    const { stream } = readStream([eventLines(user)]);
    stream.seal();

    stream.push(eventLines(answer("late"), { type: "agent_settled" }));

    expect(stream.facts).toMatchObject({ text: null, verdict: null, settled: false });
    expect(stream.facts.spend.costMicroUsd).toBe(1000);
  });

  it("tolerates noise, implausible figures and a torn last line", () => {
    const odd = { input: -5, output: 1e300, cost: { total: -3 } };
    const noise = Buffer.from('Extension loaded\n[1]\n{"type":7}\n');
    const torn = Buffer.from('{"type":"message_end","mess');

    const { facts } = readStream([noise, eventLines(user, answer("x", { usage: odd })), torn]);

    expect(facts).toMatchObject({ accepted: true, text: "x" });
    expect(facts.spend.costMicroUsd).toBeNull();
  });
});
