import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import type { LoggedEvent } from "./codec/logged-event.ts";
import type { LoggedStep } from "./logged-steps.ts";

type Asked = Extract<Event, { type: "agent.asked" }>;
type Answered = Extract<Event, { type: "agent.answered" }>;

/** A question of a run, and its answer. */
export interface LoggedQuestion {
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

/** The questions after these steps, in the order of their first occurrence. */
export function loggedQuestions(steps: readonly LoggedStep[]): readonly LoggedQuestion[] {
  const found = new Map<string, LoggedQuestion>();
  for (const logged of steps.flatMap(({ after }) => after)) {
    const { event } = logged;
    if (event.type === "agent.asked") {
      const key = keyOf(event);
      // A resumed run repeats open questions.
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

function asked({ agent, state, question, options }: Asked, { at }: LoggedEvent): LoggedQuestion {
  return { agent, state, question, options, askedAt: at, end: { kind: "open" } };
}

function endOf(
  event: Answered | Extract<Event, { type: "agent.unanswered" }>,
  { at }: LoggedEvent,
): LoggedQuestion["end"] {
  if (event.type === "agent.unanswered") return { kind: "unanswered", at };
  return { kind: "answered", answer: event.answer, by: event.by, at: event.at };
}
