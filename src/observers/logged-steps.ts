import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import { linesFromEnd } from "./log-lines.ts";
import { headOf, type LoggedEvent, parseLogLine } from "./logged-event.ts";

type Of<T extends Event["type"]> = LoggedEvent<Extract<Event, { readonly type: T }>>;

/** What the event log tells of one process of a run. */
export interface LoggedStep {
  readonly started: Of<"step.started">;
  /** Null while it runs, and where raymond has died with it. */
  readonly ended: Of<"step.ended"> | null;
  /** Messages, tool calls, output and notices, where they were asked for. */
  readonly did: readonly LoggedEvent[];
  /** What came of it: what was told of its agent until its next process. */
  readonly after: readonly LoggedEvent[];
}

export interface WantedSteps {
  readonly wants: (agent: AgentId, process: number) => boolean;
  /** So many, the last ones. */
  readonly limit: number;
  /** Also what they did. */
  readonly did: boolean;
}

export interface LoggedSteps {
  /** In the order of their starts, the newest last. */
  readonly steps: readonly LoggedStep[];
  /** Lines among those read that are torn, or that this raymond does not understand. */
  readonly unreadable: number;
}

/**
 * The last steps that are wanted, of an event log that is read from its end and no
 * farther than that takes. Throws errors of `node:fs`.
 */
export function readSteps(log: string, { wants, limit, did }: WantedSteps): LoggedSteps {
  const found: LoggedStep[] = [];
  /** By agent: the lines behind the start of a process, the last one first. */
  const behind = new Map<AgentId, string[]>();
  let unreadable = 0;

  const read = (line: string): readonly LoggedEvent[] => {
    const logged = parseLogLine(line);
    if (logged === null) unreadable += 1;
    return logged === null ? [] : [logged];
  };

  for (const { text } of linesFromEnd(log)) {
    const head = headOf(text);
    if (head === null && text !== "") unreadable += 1;
    if (head === null || head.agent === null) continue;
    const { type, agent } = head;
    if (type !== "step.started") {
      if (did || !DOING.has(type)) keep(behind, agent, text);
      continue;
    }
    const lines = behind.get(agent) ?? [];
    behind.delete(agent);
    if (!wants(agent, processIn(text))) continue;
    const [started] = read(text);
    const step = started && stepOf(started, lines.toReversed().flatMap(read));
    if (step) found.push(step);
    if (found.length === limit) break;
  }
  return { steps: found.toReversed(), unreadable };
}

/** What a step does, which most of a log consists of. */
const DOING: ReadonlySet<string> = new Set<Event["type"]>([
  "step.message",
  "step.output",
  "step.tool",
  "step.notice",
]);

function keep(behind: Map<AgentId, string[]>, agent: AgentId, line: string): void {
  const lines = behind.get(agent);
  if (lines === undefined) behind.set(agent, [line]);
  else lines.push(line);
}

/** Within a text quotes are escaped, so no text can look like this. */
function processIn(line: string): number {
  return Number(/"kind":"(?:prompt|script)","process":(\d{1,15}),/.exec(line)?.[1]);
}

function stepOf(started: LoggedEvent, lines: readonly LoggedEvent[]): LoggedStep | null {
  if (!is("step.started", started)) return null;
  const { process } = started.event;
  const ended = lines
    .filter((each) => is("step.ended", each))
    .find(({ event }) => event.process === process);
  return {
    started,
    ended: ended ?? null,
    did: lines.filter(({ event }) => DOING.has(event.type)),
    after: lines.filter(({ event }) => event.type.startsWith("agent.")),
  };
}

function is<T extends Event["type"]>(type: T, logged: LoggedEvent): logged is Of<T> {
  return logged.event.type === type;
}
