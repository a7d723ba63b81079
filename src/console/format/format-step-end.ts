import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd, type MicroUsd } from "../../language/basics/money.ts";
import { formatContext } from "../../language/basics/tokens.ts";
import type { Event } from "../../machine/model/event.ts";
import type { Tokens } from "../../machine/model/spend.ts";
import { type Line, line } from "../line.ts";
import { formatChanges } from "./format-changes.ts";

type StepEnded = Extract<Event, { type: "step.ended" }>;

/** The end of an attempt: denied tool calls, cost and time, and with `--verbose` tokens. */
export function formatStepEnd(e: StepEnded): readonly Line[] {
  return [
    ...e.denials.map((denial) =>
      line(e.agent, "warning", `! denied: ${denial.tool}  ${denial.input}`, { cut: true }),
    ),
    line(e.agent, "dim", measure(e), { from: isWorthALine(e) ? "normal" : "verbose" }),
    ...(e.changes === undefined || e.changes.files === 0
      ? []
      : [line(e.agent, "dim", `changed ${formatChanges(e.changes)}`)]),
    line(
      e.agent,
      "dim",
      `tokens: ${tokens(e.tokens)}${e.model === null ? "" : `, ${e.model}`}${e.version === null ? "" : `, client ${e.version}`}${e.context === null ? "" : `, context ${formatContext(e.context)}`}`,
      { from: e.kind === "prompt" ? "verbose" : "never" },
    ),
  ];
}

/** `$0.42`, and separately the estimated cost of killed attempts and manual sessions. */
export function cost(reported: MicroUsd, estimated: MicroUsd): string {
  if (estimated === 0) return formatUsd(reported);
  return `${formatUsd(reported)} and about ${formatUsd(estimated)} (estimated)`;
}

function measure(e: StepEnded): string {
  const time = formatDuration(e.durationMs);
  const how = e.ok ? "" : e.failure === "cancelled" ? "interrupted" : "failed";
  if (e.kind === "script" || isFree(e)) return how === "" ? time : `${how} after ${time}`;
  const sums = `${cost(e.costMicroUsd, e.estimatedMicroUsd)}, total ${formatUsd(e.totalMicroUsd)}, ${time}`;
  return how === "" ? sums : `${how}: ${sums}`;
}

/** Scripts that poll for hours must not fill the screen. The next line has the reason of a failure. */
function isWorthALine(e: StepEnded): boolean {
  if (!e.ok) return !isFree(e);
  return e.kind === "prompt" || e.durationMs >= 10_000;
}

function isFree({ costMicroUsd, estimatedMicroUsd, ok }: StepEnded): boolean {
  return !ok && costMicroUsd === 0 && estimatedMicroUsd === 0;
}

function tokens(n: Tokens): string {
  return `${String(n.input)} in, ${String(n.output)} out, ${String(n.cacheRead)} from cache, ${String(n.cacheWrite)} to cache`;
}
