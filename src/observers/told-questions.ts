import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import type { LoggedEvent } from "./logged-event.ts";
import type { LoggedStep } from "./logged-steps.ts";

type Asked = Extract<Event, { type: "agent.asked" }>;
type Answered = Extract<Event, { type: "agent.answered" }>;

/** A question that a run has asked a person, and what came of it. */
export interface ToldQuestion {
  readonly agent: AgentId;
  readonly state: string;
  readonly question: string;
  readonly options: readonly string[] | null;
  /** Epoch ms. */
  readonly askedAt: number;
  readonly end:
    | { readonly kind: "open" }
    | {
        readonly kind: "answered";
        readonly answer: string;
        readonly by: Answered["by"];
        readonly at: number;
      }
    | { readonly kind: "unanswered"; readonly at: number };
}

/** The questions that were asked after these steps, in the order in which they were asked first. */
export function toldQuestions(steps: readonly LoggedStep[]): readonly ToldQuestion[] {
  const found = new Map<string, ToldQuestion>();
  for (const logged of steps.flatMap(({ after }) => after)) {
    const { event } = logged;
    if (event.type === "agent.asked") {
      const key = keyOf(event);
      // A run that is resumed asks again what is open.
      if (!found.has(key)) found.set(key, asked(event, logged));
    } else if (event.type === "agent.answered" || event.type === "agent.unanswered") {
      const question = found.get(keyOf(event));
      if (question !== undefined)
        found.set(keyOf(event), { ...question, end: endOf(event, logged) });
    }
  }
  return [...found.values()];
}

function keyOf({ agent, number }: { readonly agent: AgentId; readonly number: number }): string {
  return `${String(number)} ${agent}`;
}

function asked({ agent, state, question, options }: Asked, { at }: LoggedEvent): ToldQuestion {
  return { agent, state, question, options, askedAt: at, end: { kind: "open" } };
}

function endOf(
  event: Answered | Extract<Event, { type: "agent.unanswered" }>,
  { at }: LoggedEvent,
): ToldQuestion["end"] {
  if (event.type === "agent.unanswered") return { kind: "unanswered", at };
  return { kind: "answered", answer: event.answer, by: event.by, at: event.at };
}
