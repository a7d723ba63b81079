import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { type Line, line } from "./line.ts";

/** An agent in a script state, and how often it has entered that again without anything else between. */
interface Loop {
  readonly state: StateName;
  readonly rounds: number;
  /** How many of them have been told. */
  readonly told: number;
  /** It has just moved to where it stood. */
  readonly again: boolean;
  /** What the end of the last round had to say: shown where the loop ends with it. */
  readonly held: readonly Line[];
}

/**
 * Folds the rounds of scripts that poll: an agent that enters the same script
 * state again and again is told of at its first round, at the 10th, the 100th
 * and so on, and when it leaves: `POLL.sh ×37`. Takes each event with its lines,
 * and returns what is to be shown of them now.
 */
export function newLoops(): (event: Event, lines: readonly Line[]) => readonly Line[] {
  const loops = new Map<AgentId, Loop>();

  const leave = (agent: AgentId): readonly Line[] => {
    const loop = loops.get(agent);
    if (loop === undefined) return [];
    loops.delete(agent);
    return loop.rounds > loop.told ? [countLine(agent, loop), ...loop.held] : loop.held;
  };

  const enter = (event: Extract<Event, { type: "step.started" }>, lines: readonly Line[]) => {
    const { agent, state } = event;
    const loop = loops.get(agent);
    if (loop?.again !== true) {
      const left = leave(agent);
      if (event.kind === "script") {
        loops.set(agent, { state, rounds: 1, told: 1, again: false, held: [] });
      }
      return [...left, ...lines];
    }
    const rounds = loop.rounds + 1;
    const now = isPowerOfTen(rounds);
    loops.set(agent, { ...loop, rounds, told: now ? rounds : loop.told, again: false });
    return now ? [countLine(agent, { ...loop, rounds })] : [];
  };

  return (event, lines) => {
    if (event.type === "run.stopping" || event.type === "run.ended") {
      return [...[...loops.keys()].flatMap(leave), ...lines];
    }
    if (!("agent" in event) || event.type === "step.output") return lines;
    if (event.type === "step.started") return enter(event, lines);
    const loop = loops.get(event.agent);
    if (loop !== undefined && event.type === "step.ended" && event.ok) {
      loops.set(event.agent, { ...loop, held: lines });
      return [];
    }
    if (loop !== undefined && event.type === "agent.moved" && isRound(event)) {
      loops.set(event.agent, { ...loop, again: true, held: [] });
      return [];
    }
    return [...leave(event.agent), ...lines];
  };
}

/** Back to the same state, with nothing that a reader would want to know. */
function isRound({ from, to, transition, dropped }: Extract<Event, { type: "agent.moved" }>) {
  if (from !== to || dropped > 0) return false;
  return transition.tag === "goto" || (transition.tag === "reset" && transition.cd === undefined);
}

function isPowerOfTen(n: number): boolean {
  return /^10+$/.test(String(n));
}

function countLine(agent: AgentId, { state, rounds }: Pick<Loop, "state" | "rounds">): Line {
  return line(agent, "dim", `${state} ×${String(rounds)}`);
}
