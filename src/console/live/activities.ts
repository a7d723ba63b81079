import type { AgentId } from "../../machine/model/agent.ts";
import type { Event } from "../../machine/model/event.ts";
import { firstLine } from "../format/first-line.ts";

/** What the running step of each agent does now. */
export type Activities = ReadonlyMap<AgentId, string>;

/** Tracks the activities of agents by events. */
export function activityTracker(): { notify(event: Event): void; readonly now: Activities } {
  const now = new Map<AgentId, string>();
  return {
    now,
    notify(event) {
      const activity = activityOf(event);
      if (activity !== null) now.set(activity.agent, activity.text);
      // Between two steps the run state says what the agent waits for.
      if (event.type === "step.ended") now.delete(event.agent);
    },
  };
}

function activityOf(event: Event): { readonly agent: AgentId; readonly text: string } | null {
  const text = textOf(event);
  return text === "" || !("agent" in event) ? null : { agent: event.agent, text };
}

/** Empty for events without an activity. */
function textOf(event: Event): string {
  if (event.type === "step.started") return event.kind === "prompt" ? "thinking" : "script";
  if (event.type === "step.tool") return `${event.tool} ${event.argument}`.trimEnd();
  if (event.type === "step.message" || event.type === "step.notice") return firstLine(event.text);
  if (event.type === "step.output") return event.text.trimEnd().split(/\r?\n/).at(-1) ?? "";
  return "";
}
