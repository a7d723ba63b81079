import { counted } from "../../language/basics/counted.ts";
import { formatAnswer } from "../../machine/moves/question.ts";
import type { Answered } from "../../run/answer.ts";
import type { Retried } from "../../run/control/retry.ts";
import type { ResultSet } from "../../run/control/set-result.ts";
import type { Stopping } from "../../run/control/stop-after-steps.ts";

/** The result of `raymond answer`; `resumes`: the same command resumes the run. */
export function answeredWords(answered: Answered, resumes: boolean): string {
  const { id, question, answer: text } = answered;
  const saved = `Answered ${question.agent} of ${id}: ${formatAnswer(text)}`;
  switch (answered.outcome) {
    case "received":
      return saved;
    case "not-received":
      return answered.holder.visible
        ? `${saved}\n${notReacted({ id, pid: answered.holder.pid, next: answered.next })}`
        : `${saved}\nIts process, on ${answered.holder.host}, will read the answer.`;
    case "queued":
      return `${saved}\nThe run is queued: a worker resumes it.`;
    case "kept":
      return resumes ? saved : `${saved}\nNo process runs it. Resume with: ${answered.next}`;
  }
}

/** The result of `raymond set`; `resumes`: the same command resumes the run. */
export function resultSetWords(set: ResultSet, resumes: boolean): string {
  const saved = `Set the result of ${set.agent} of ${set.id} (${set.state}).`;
  switch (set.outcome) {
    case "received":
      return saved;
    case "no-reaction":
      return notReacted(set);
    case "queued":
      return `${saved}\nThe run is queued: a worker resumes it.`;
    case "kept":
      return resumes ? saved : `${saved}\nNo process runs it. Resume with: ${set.next}`;
  }
}

/** The result of `raymond retry`; `agent`: the one that was given. */
export function retriedWords(retried: Retried, agent?: string): string {
  const { id } = retried;
  switch (retried.outcome) {
    case "not-waiting": {
      const { waiting } = retried;
      if (agent === undefined || waiting.length === 0) return `${id} is not waiting for anything.`;
      return `Agent ${agent} of ${id} is not waiting. Waiting: ${waiting.join(", ")}.`;
    }
    case "retrying":
      return retried.agents.length === 0
        ? `${id} is retrying now.`
        : `${id} is retrying now: ${retried.agents.join(", ")}.`;
    case "queued":
      return `${id} starts as soon as a worker is free.`;
    case "no-reaction":
      return notReacted(retried);
    case "recorded":
      return `Ended the wait of ${id}. No process runs it. Resume with: ${retried.next}`;
  }
}

export function stoppingWords(stopping: Stopping): string {
  const { id } = stopping;
  switch (stopping.outcome) {
    case "not-running":
      return `No process runs ${id}.`;
    case "ended":
      return `${id} has stopped. Resume it with: ${stopping.next}`;
    case "dead":
      return `The process of ${id} has died. Resume the run with: ${stopping.next}`;
    case "received":
      return stopping.inFlight === 0
        ? `${id} is stopping.`
        : `${id} stops once ${counted(stopping.inFlight, "step")} in flight ${stopping.inFlight === 1 ? "has" : "have"} ended.`;
    case "no-reaction":
      return notReacted(stopping);
  }
}

/** `next`: the command that shows the status of the run. */
function notReacted({ id, pid, next }: { id: string; pid: number; next: string }): string {
  return `Process ${String(pid)}, which holds ${id}, is alive but did not respond. Check its status with: ${next}`;
}
