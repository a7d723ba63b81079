import { formatUsd, type MicroUsd } from "../language/basics/money.ts";
import type { AgentId } from "../machine/agent.ts";
import type { Event } from "../machine/event.ts";
import { cut, printable } from "./printable.ts";

/**
 * The lines of `transitions.log`: time, agent, from, tag, to, and the cost of all attempts, separated by two spaces.
 */
export function transitionLines(): (event: Event, at: number) => string | null {
  const costs = new Map<AgentId, MicroUsd>();

  const entry = (at: number, agent: AgentId, rest: string): string => {
    const cost = costs.get(agent) ?? 0;
    costs.delete(agent);
    const time = new Date(at).toISOString();
    return `${time}  ${printable(agent)}  ${printable(rest)}  ${cost === 0 ? "$0.00" : formatUsd(cost)}\n`;
  };

  return (event, at) => {
    switch (event.type) {
      case "step.ended":
      case "agent.handed-back":
        costs.set(
          event.agent,
          (costs.get(event.agent) ?? 0) + event.costMicroUsd + event.estimatedMicroUsd,
        );
        return null;
      case "agent.moved":
        return entry(
          at,
          event.agent,
          `${event.from}  ${event.transition.tag}${event.implied ? " (implied)" : ""}  ${event.to}`,
        );
      case "agent.diverted":
        return entry(at, event.agent, `${event.from}  ${event.by}  ${event.to}`);
      case "agent.forked":
        return `${new Date(at).toISOString()}  ${printable(event.worker)}  (forked by ${printable(event.agent)})  start  ${printable(event.state)}\n`;
      case "agent.ended":
        return entry(
          at,
          event.agent,
          `${event.state}  ${event.result === null ? "on_error=report" : "result"}  (end)`,
        );
      case "agent.joined":
        return entry(at, event.agent, `(joined)  ${event.late ? "late" : "on"}  ${event.state}`);
      case "agent.answered":
        return entry(at, event.agent, `(asked)  answer  ${event.state}`);
      case "agent.unanswered":
        return entry(at, event.agent, `(asked)  late  ${event.state}`);
      case "agent.failed":
        return entry(at, event.agent, `${event.state}  failed  ${cut(event.problem, 200)}`);
      case "run.started":
      case "run.resumed":
      case "run.rerun":
      case "run.taken-over":
      case "run.stopping":
      case "run.ended":
      case "budget.near":
      case "run.waiting":
      case "run.still-waiting":
      case "run.woke":
      case "run.warning":
      case "step.started":
      case "step.message":
      case "step.output":
      case "step.tool":
      case "step.notice":
      case "agent.reminded":
      case "agent.sent-back":
      case "agent.retrying":
      case "agent.waiting":
      case "agent.asked":
      case "agent.opened":
      case "agent.continued":
        return null;
    }
  };
}
