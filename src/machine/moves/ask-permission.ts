import { fullName } from "../../language/protocol/address.ts";
import { waitFor } from "../model/activity.ts";
import type { Agent } from "../model/agent.ts";
import type { Denial } from "../model/denial.ts";
import type { RunUpdate } from "../model/event.ts";
import { updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { permissionQuestion } from "./permission.ts";
import { questionEvent } from "./question.ts";

/**
 * Asks a person whether to allow denied tool calls (docs/permissions.md, "Denied tool calls"). The
 * agent waits in its state and conversation. `call`: the call of the state.
 */
export function askPermission(
  run: RunState,
  agent: Agent,
  calls: readonly Denial[],
  { at, call }: { readonly at: number; readonly call: number | null },
): RunUpdate {
  // The number of a question is unique in the run.
  const stepped = { ...run, steps: run.steps + 1 };
  const question = {
    number: stepped.steps,
    ...permissionQuestion(agent, calls),
    late: null,
    from: fullName(agent),
    call: call ?? 0,
    denied: calls,
  };
  const activity = waitFor(null, at, { kind: "answer", ...question });
  const asking: Agent = { ...agent, outage: null, activity };
  return updateAgent(stepped, asking, questionEvent({ ...question, agent: agent.id, until: null }));
}
