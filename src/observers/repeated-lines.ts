import { counted } from "../core/counted.ts";
import type { AgentWait } from "../core/machine/agent-wait.ts";
import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { waitsOf } from "../core/machine/waits.ts";
import { readReply } from "../core/protocol/reply.ts";
import { formatWait } from "./format-wait.ts";
import { type Line, line } from "./line.ts";

/**
 * Keeps from the console what another line says as well, unless everything is shown: a reply that is only a tag, which
 * the transition below it repeats, and the agents that queue for `--max-parallel` behind the first one.
 */
export function newRepeats(): (
  event: Event,
  lines: readonly Line[],
  run: RunState,
) => readonly Line[] {
  let isQueueTold = false;
  return (event, lines, run) => {
    // A step that ends makes room: who queues then does so anew.
    if (event.type === "step.ended" || event.type === "run.resumed") isQueueTold = false;
    if (event.type === "step.message") return isOnlyTag(event.text) ? verbose(lines) : lines;
    if (event.type !== "agent.waiting" || event.wait.kind !== "place") return lines;
    if (isQueueTold) return verbose(lines);
    isQueueTold = true;
    const others = Math.max(0, queuedIn(run) - 1);
    return others === 0 ? lines : [line(event.agent, "dim", queueWords(event.wait, others))];
  };
}

/** What an agent that queues waits for, and how many others do. */
export function queueWords(wait: AgentWait, others: number): string {
  const more =
    others === 0 ? "" : `; ${counted(others, "more agent waits", "more agents wait")} as well`;
  return `${formatWait(wait)}${more}`;
}

function queuedIn(run: RunState): number {
  // At no moment before now: delays, which time ends, come first.
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
