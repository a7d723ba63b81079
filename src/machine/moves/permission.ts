import { counted } from "../../language/basics/counted.ts";
import { fullName } from "../../language/protocol/address.ts";
import { type PendingQuestion, READY } from "../model/activity.ts";
import type { Agent } from "../model/agent.ts";
import { type Denial, describeCall, type Grant, grantsFor, NO_RULING } from "../model/denial.ts";
import type { RunState } from "../model/run-state.ts";

/** The answers to a question about denied tool calls. */
export const PERMISSION = {
  once: "allow once",
  run: "allow for this run",
  deny: "deny",
} as const;

/** The question whether to allow tool calls, one line for each. */
export function permissionQuestion(
  agent: Agent,
  calls: readonly Denial[],
): Pick<PendingQuestion, "question" | "options"> {
  const state = fullName(agent);
  const lines = calls.map((call) => {
    const remark = call.exact === undefined ? " (cannot be allowed here)" : "";
    return `- ${describeCall(call)}${remark}`;
  });
  const sum = counted(calls.length, "denied tool call");
  if (grantsFor(calls).length > 0) {
    const question = [`${state}: allow ${sum}?`, ...lines].join("\n");
    return { question, options: Object.values(PERMISSION) };
  }
  const opening = `${state}: ${sum}. To allow more, stop the run, and resume it with other permissions.`;
  return { question: [opening, ...lines].join("\n"), options: [PERMISSION.deny] };
}

/** The calls that the next attempt of an agent may make. */
export function grantsOf({ grants }: Pick<RunState, "grants">, agent: Agent): readonly Grant[] {
  return [...(grants ?? []), ...(agent.ruling?.once ?? [])];
}

/** Continues an agent in its conversation. An answer that is not an option denies the calls. */
export function applyPermission(
  run: RunState,
  agent: Agent,
  denied: readonly Denial[],
  answer: string,
): readonly [RunState, Agent] {
  const { once, refused } = agent.ruling ?? NO_RULING;
  const ready: Agent = { ...agent, activity: READY, readySince: run.totals.attempts };
  const granted = grantsFor(denied);
  const others = denied.filter(({ exact }) => exact === undefined);
  const allowed = { calls: denied, once, refused: [...refused, ...others] };
  switch (answer) {
    case PERMISSION.once: {
      const ruling = { ...allowed, once: [...once, ...granted] };
      return [run, { ...ready, delivery: "allowed", ruling }];
    }
    case PERMISSION.run: {
      const grants = [...(run.grants ?? []), ...granted];
      return [
        { ...run, grants },
        { ...ready, delivery: "allowed", ruling: allowed },
      ];
    }
    default: {
      const ruling = { calls: denied, once, refused: [...refused, ...denied] };
      return [run, { ...ready, delivery: "denied", ruling }];
    }
  }
}
