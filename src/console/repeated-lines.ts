import { counted } from "../language/basics/counted.ts";
import { readReply } from "../language/protocol/reply.ts";
import type { AgentWait } from "../machine/model/agent-wait.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { waitsOf } from "../machine/waits/waits.ts";
import { formatWait } from "./format/format-wait.ts";
import { type Line, line } from "./line.ts";

/**
 * Hides lines that repeat another one, except with `--verbose`: a reply that is only a tag, which the transition line
 * shows, and all but the first of the agents that are queued because of `--max-parallel`.
 */
export function repeatFilter(): (
  event: Event,
  lines: readonly Line[],
  run: RunState,
) => readonly Line[] {
  let isQueueShown = false;
  return (event, lines, run) => {
    // A step that ends frees a slot: agents that are queued after that are reported again.
    if (event.type === "step.ended" || event.type === "run.resumed") isQueueShown = false;
    if (event.type === "step.message") return isOnlyTag(event.text) ? verbose(lines) : lines;
    if (event.type !== "agent.waiting" || event.wait.kind !== "place") return lines;
    if (isQueueShown) return verbose(lines);
    isQueueShown = true;
    const others = Math.max(0, queuedIn(run) - 1);
    return others === 0 ? lines : [line(event.agent, "dim", queueWords(event.wait, others))];
  };
}

/** A queued agent, and how many others are queued. */
export function queueWords(wait: AgentWait, others: number): string {
  const more = others === 0 ? "" : `, like ${counted(others, "more agent")}`;
  return `${formatWait(wait)}${more}`;
}

function queuedIn(run: RunState): number {
  // At time 0 a delay is reported as a delay, and not as the queue that may follow it.
  const waitFor = waitsOf(run, 0);
  return run.agents.filter((agent) => waitFor(agent)?.kind === "place").length;
}

function isOnlyTag(text: string): boolean {
  const reply = text.trim();
  if (!/^<[a-z-]+[\s/>]/.test(reply) || !reply.endsWith(">")) return false;
  const { count, elements } = readReply(reply);
  const [only] = elements;
  return (
    count === 1 && only !== undefined && /^<([a-z-]+)(?:[^<>]*\/>$|[\s\S]*<\/\1\s*>$)/.test(reply)
  );
}

function verbose(lines: readonly Line[]): readonly Line[] {
  return lines.map((each) => ({ ...each, from: "verbose" as const }));
}
