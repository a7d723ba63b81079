import type { StateName } from "../../language/protocol/transition.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { Event } from "../../machine/model/event.ts";
import { type Line, line } from "../line.ts";

/** An agent in a script state that it entered several times in a row. */
interface Loop {
  readonly state: StateName;
  readonly rounds: number;
  /** The number of rounds that was printed last. */
  readonly printed: number;
  /** The last move led to the same state. */
  readonly again: boolean;
  /** Lines of the end of the last round, shown if the loop ends with it. */
  readonly held: readonly Line[];
}

/**
 * Collapses the rounds of a polling script: an agent that repeats a script state is shown at round 1, 10, 100 and so
 * on, and when it leaves the state: `POLL.sh ×37`. Takes an event with its lines, and returns the lines to show.
 */
export function loopFolder(): (event: Event, lines: readonly Line[]) => readonly Line[] {
  const loops = new Map<AgentId, Loop>();

  const leave = (agent: AgentId): readonly Line[] => {
    const loop = loops.get(agent);
    if (loop === undefined) return [];
    loops.delete(agent);
    return loop.rounds > loop.printed ? [countLine(agent, loop), ...loop.held] : loop.held;
  };

  const enter = (event: Extract<Event, { type: "step.started" }>, lines: readonly Line[]) => {
    const { agent, state } = event;
    const loop = loops.get(agent);
    if (loop?.again !== true) {
      const left = leave(agent);
      if (event.kind === "script") {
        loops.set(agent, { state, rounds: 1, printed: 1, again: false, held: [] });
      }
      return [...left, ...lines];
    }
    const rounds = loop.rounds + 1;
    const now = isPowerOfTen(rounds);
    loops.set(agent, { ...loop, rounds, printed: now ? rounds : loop.printed, again: false });
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

/** A move to the same state that drops nothing. */
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
