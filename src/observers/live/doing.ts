import type { AgentId } from "../../core/machine/agent.ts";
import type { Event } from "../../core/machine/event.ts";
import { firstLine } from "../first-line.ts";

/** By agent: what its step does now, as far as events tell; nobody is in it whose step has not begun. */
export type Doings = ReadonlyMap<AgentId, string>;

/** What agents do, from event to event. */
export function newDoings(): { see(event: Event): void; readonly now: Doings } {
  const now = new Map<AgentId, string>();
  return {
    now,
    see(event) {
      const doing = doingOf(event);
      if (doing !== null) now.set(doing.agent, doing.text);
      // What comes between two steps is in the state of the run.
      if (event.type === "step.ended") now.delete(event.agent);
    },
  };
}

function doingOf(event: Event): { readonly agent: AgentId; readonly text: string } | null {
  const text = textOf(event);
  return text === "" || !("agent" in event) ? null : { agent: event.agent, text };
}

/** Empty where an event tells nothing of it. */
function textOf(event: Event): string {
  if (event.type === "step.started") return event.kind === "prompt" ? "thinking" : "script";
  if (event.type === "step.tool") return `${event.tool} ${event.argument}`.trimEnd();
  if (event.type === "step.message" || event.type === "step.notice") return firstLine(event.text);
  if (event.type === "step.output") return event.text.trimEnd().split(/\r?\n/).at(-1) ?? "";
  return "";
}
