import { formatUsd, type MicroUsd } from "../language/basics/money.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event, EventType } from "../machine/model/event.ts";
import { cut, printable } from "./printable.ts";

/** The lines of `transitions.log`: time, agent, from, tag, to, and the cost of all attempts, separated by two spaces. */
export function transitionLines(): (event: Event, at: number) => string | null {
  const costs = new Map<AgentId, MicroUsd>();
  return (event, at) => {
    const time = new Date(at).toISOString();
    if (event.type === "step.ended" || event.type === "agent.handed-back") {
      const before = costs.get(event.agent) ?? 0;
      costs.set(event.agent, before + event.costMicroUsd + event.estimatedMicroUsd);
    }
    if (event.type === "agent.forked") {
      return `${time}  ${printable(event.worker)}  (forked by ${printable(event.agent)})  start  ${printable(event.state)}\n`;
    }
    const describe = MOVES[event.type] as ((event: Event) => string) | undefined;
    if (describe === undefined || !("agent" in event)) return null;
    const cost = costs.get(event.agent) ?? 0;
    costs.delete(event.agent);
    const words = `${printable(event.agent)}  ${printable(describe(event))}`;
    return `${time}  ${words}  ${cost === 0 ? "$0.00" : formatUsd(cost)}\n`;
  };
}

const MOVES: { readonly [T in EventType]?: (event: Extract<Event, { type: T }>) => string } = {
  "agent.moved": ({ from, transition, implied, to }) =>
    `${from}  ${transition.tag}${implied ? " (implied)" : ""}  ${to}`,
  "agent.diverted": ({ from, by, to }) => `${from}  ${by}  ${to}`,
  "agent.ended": ({ state, result }) =>
    `${state}  ${result === null ? "on_error=report" : "result"}  (end)`,
  "agent.joined": ({ late, state }) => `(joined)  ${late ? "late" : "on"}  ${state}`,
  "agent.answered": ({ state }) => `(asked)  answer  ${state}`,
  "agent.unanswered": ({ state }) => `(asked)  late  ${state}`,
  "agent.failed": ({ state, problem }) => `${state}  failed  ${cut(problem, 200)}`,
};
