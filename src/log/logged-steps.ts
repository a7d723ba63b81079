import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import { linesFromEnd } from "./codec/log-lines.ts";
import { headOf, type LoggedEvent, parseLogLine } from "./codec/logged-event.ts";

type Of<T extends Event["type"]> = LoggedEvent<Extract<Event, { readonly type: T }>>;

/** The events of one process of a run. */
export interface LoggedStep {
  readonly started: Of<"step.started">;
  /** Null while it runs, or if raymond died during it. */
  readonly ended: Of<"step.ended"> | null;
  /** Messages, tool calls, output and notices, if requested. */
  readonly activity: readonly LoggedEvent[];
  /** Events of its agent up to its next process. */
  readonly after: readonly LoggedEvent[];
}

export interface StepQuery {
  readonly matches: (agent: AgentId, process: number) => boolean;
  /** Maximum number of steps, the last ones. */
  readonly limit: number;
  /** Include messages, tool calls, output and notices. */
  readonly withActivity: boolean;
}

export interface LoggedSteps {
  /** In start order. */
  readonly steps: readonly LoggedStep[];
  /** Lines that are torn, or of another version. */
  readonly unreadable: number;
}

/** Reads the last matching steps from the end of an event log, as far as necessary. Throws errors of `node:fs`. */
export function readSteps(
  log: string,
  { matches: wants, limit, withActivity: did }: StepQuery,
): LoggedSteps {
  const found: LoggedStep[] = [];
  /** By agent: the lines after the start of a process, in reverse order. */
  const following = new Map<AgentId, string[]>();
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
      if (did || !ACTIVITY.has(type)) keep(following, agent, text);
      continue;
    }
    const lines = following.get(agent) ?? [];
    following.delete(agent);
    if (!wants(agent, processIn(text))) continue;
    const [started] = read(text);
    const step = started && stepOf(started, lines.toReversed().flatMap(read));
    if (step) found.push(step);
    if (found.length === limit) break;
  }
  return { steps: found.toReversed(), unreadable };
}

/** Events of the activity of a step: most of a log. */
const ACTIVITY: ReadonlySet<string> = new Set<Event["type"]>([
  "step.message",
  "step.output",
  "step.tool",
  "step.notice",
]);

function keep(following: Map<AgentId, string[]>, agent: AgentId, line: string): void {
  const lines = following.get(agent);
  if (lines === undefined) following.set(agent, [line]);
  else lines.push(line);
}

/** Quotes in texts are escaped, so no text can match. */
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
    activity: lines.filter(({ event }) => ACTIVITY.has(event.type)),
    after: lines.filter(({ event }) => event.type.startsWith("agent.")),
  };
}

function is<T extends Event["type"]>(type: T, logged: LoggedEvent): logged is Of<T> {
  return logged.event.type === type;
}
