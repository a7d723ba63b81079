import { counted } from "../core/counted.ts";
import { shownAnswer } from "../core/machine/question.ts";
import type { Answered } from "../runs/answer.ts";
import type { Retried } from "../runs/retry-now.ts";
import type { Stopping } from "../runs/stop-after-steps.ts";
import { notReacted } from "./not-reacted.ts";

/** What came of `raymond answer`; `goesOn`: who has answered goes on with the run as well. */
export function answeredWords(answered: Answered, goesOn: boolean): string {
  const { id, question, answer: text } = answered;
  const told = `${question.agent} of ${id} is answered: ${shownAnswer(text)}`;
  switch (answered.outcome) {
    case "heard":
      return told;
    case "not-heard":
      return answered.holder.visible
        ? `${told}\n${notReacted({ id, pid: answered.holder.pid, next: answered.next })}`
        : `${told}\nThe process that holds it, on ${answered.holder.host}, finds the answer by itself.`;
    case "queued":
      return `${told}\nThe run is queued: a worker resumes it.`;
    case "kept":
      return goesOn ? told : `${told}\nNo process runs it; go on with: ${answered.next}`;
  }
}

/** What came of `raymond retry-now`. */
export function retriedWords(retried: Retried): string {
  const { id } = retried;
  switch (retried.outcome) {
    case "not-waiting":
      return `${id} does not wait for anything: there is nothing to hurry.`;
    case "heard":
      return `${id} tries again now.`;
    case "no-reaction":
      return notReacted(retried);
    case "wait-ended":
      return `${id} waits no longer. No process runs it; go on with: ${retried.next}`;
  }
}

/** What came of `raymond stop --after-steps`. */
export function stoppingWords(stopping: Stopping): string {
  const { id } = stopping;
  switch (stopping.outcome) {
    case "not-running":
      return `No process runs ${id}: there is nothing to stop.`;
    case "dead":
      return `The process that drove ${id} has died: there is nothing to stop. Resume the run with: ${stopping.next}`;
    case "heard":
      return stopping.inFlight === 0
        ? `${id} stops.`
        : `${id} stops when ${counted(stopping.inFlight, "step")} in flight ${stopping.inFlight === 1 ? "has" : "have"} ended.`;
    case "no-reaction":
      return notReacted(stopping);
  }
}
