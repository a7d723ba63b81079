import { isMissing } from "../language/basics/error-code.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { ControlAction, Event, EventType } from "../machine/model/event.ts";
import { readPiece } from "./codec/log-lines.ts";
import { headOf, parseLogLine } from "./codec/logged-event.ts";

/** A command of a person to a run, or an action of a worker. */
export interface LoggedCommand {
  /** ISO 8601. */
  readonly at: string;
  readonly action: "start" | "resume" | "rerun" | "take-over" | "answer" | "set" | ControlAction;
  /** Null: the run. */
  readonly agent: AgentId | null;
  readonly actor: Actor;
  /** The changed settings, the answer, the reason, or the original run; null: none. */
  readonly detail: string | null;
}

/** Null for an event that is not the effect of a command, and if its actor was not recorded. */
export function commandOf(event: Event): Command | null {
  const read = COMMANDS[event.type] as ((event: Event) => Command | null) | undefined;
  return read?.(event) ?? null;
}

type Command = Omit<LoggedCommand, "at">;

const COMMANDS: {
  readonly [T in EventType]?: (event: Extract<Event, { type: T }>) => Command | null;
} = {
  "run.started": (event) => byActor("start", event),
  "run.resumed": (event) => {
    const { changed = [] } = event;
    return byActor("resume", event, changed.length === 0 ? null : changed.join("; "));
  },
  "run.rerun": (event) => byActor("rerun", event, `${event.of} from step ${String(event.step)}`),
  "run.taken-over": (event) =>
    byActor("take-over", event, `from process ${String(event.pid)} on ${event.host}`),
  "run.controlled": ({ action, target: agent, actor }) => ({ action, agent, actor, detail: null }),
  "agent.answered": ({ agent, by: actor, answer: detail }) => {
    return { action: "answer", agent, actor, detail };
  },
  "agent.result-set": ({ agent, actor, reason: detail }) => {
    return { action: "set", agent, actor, detail };
  },
};

function byActor(
  action: LoggedCommand["action"],
  { actor }: { readonly actor?: Actor | undefined },
  detail: string | null = null,
): Command | null {
  return actor === undefined ? null : { action, agent: null, actor, detail };
}

/** The commands in an event log, oldest first. Empty if there is none. Throws other errors of `node:fs`. */
export function readCommands(file: string): readonly LoggedCommand[] {
  const found: LoggedCommand[] = [];
  try {
    for (let next = 0; ; ) {
      const piece = readPiece(file, next);
      if (piece.lines.length === 0) return found;
      next = piece.next;
      for (const line of piece.lines) if (MAY_BE_COMMAND.test(line)) push(found, line);
    }
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function push(found: LoggedCommand[], line: string): void {
  const event = parseLogLine(line)?.event;
  const command = event === undefined ? null : commandOf(event);
  if (command !== null) found.push({ at: headOf(line)?.at ?? "", ...command });
}

/** Most lines are no commands, and a log can be large. */
const MAY_BE_COMMAND =
  /^\{"type":"(?:run\.(?:started|resumed|rerun|taken-over|controlled)|agent\.(?:answered|result-set))"/;
