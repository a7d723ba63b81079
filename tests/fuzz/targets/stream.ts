import { readStream, recordedBytes, VERSIONS } from "../../clients/claude/recorded.ts";
import { seededRandom } from "../seeded-random.ts";
import { difference, type Target } from "../target.ts";

/** What the client prints: never throws, holds no more than it was given, and no way to cut it matters. */
export const streamTarget: Target = {
  name: "stream",
  words: [
    ...['{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.330"}\n'],
    ...['{"type":"result","subtype":"success","is_error":false,"total_cost_usd":1e308}\n'],
    ...['{"type":"assistant","message":{"content":[{"type":"text","text":"<goto>B</goto>"}]}}\n'],
    ...['"type":', '"content":', '"usage":', '"input_tokens":', '"total_cost_usd":', '"message":'],
    ...['"rate_limit_info":', '"resetsAt":', '"permission_denials":[', "null", "true", "[", "]"],
    ...["{", "}", '"', ",", "\n", "\r\n", "\u0000", "\u001b[2J", "\\ud800", '"__proto__":', "é"],
  ],
  seeds: () => VERSIONS.flatMap((version) => RECORDED.map((name) => recordedBytes(version, name))),
  broken(input) {
    const whole = readStream([input]);
    const said = JSON.stringify(whole.facts).length;
    if (said > 6 * input.length + 10_000) return `It holds ${String(said)} characters.`;
    const { spend, limit } = whole.facts;
    const { costMicroUsd, conversationMicroUsd, tokens } = spend;
    const { input: read, output, cacheRead, cacheWrite } = tokens;
    const money = [costMicroUsd ?? 0, conversationMicroUsd ?? 0, limit?.resetsAt ?? 0];
    const figures = [...money, read, output, cacheRead, cacheWrite];
    const odd = figures.find((figure) => !(figure >= 0 && figure < 1e16));
    if (odd !== undefined) return `A figure is ${String(odd)}.`;
    const cut = readStream(pieces(input));
    const short = readStream([input], 1_000);
    return (
      difference("cut in pieces", whole, cut) ??
      difference("short lines, cut in pieces", short, readStream(pieces(input), 1_000))
    );
  },
};

const RECORDED = ["simple", "limit", "capped", "retried", "credit", "unknown-id"];

function pieces(input: Buffer): readonly Buffer[] {
  const dice = seededRandom(input);
  const cuts = Array.from({ length: 1 + dice(20) }, () => dice(input.length + 1));
  const edges = [0, ...cuts.sort((a, b) => a - b), input.length];
  return edges.slice(1).map((edge, index) => input.subarray(edges[index], edge));
}
