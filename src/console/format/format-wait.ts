import { counted } from "../../language/basics/counted.ts";
import type { AgentWait } from "../../machine/model/agent-wait.ts";
import { formatQuestion } from "../../machine/moves/question.ts";
import { localTime } from "../local-time.ts";

/** What an agent waits for, to follow its name: `main: waiting for 2 workers`. */
export function formatWait(wait: AgentWait): string {
  switch (wait.kind) {
    case "limit":
      return `waiting for the usage limit${wait.backend === undefined ? "" : ` of ${wait.backend}`} until ${localTime(wait.until)}`;
    case "probe":
      return `waiting for ${wait.agent} to check whether the usage limit is over`;
    case "retry":
      return `waiting for its next attempt, until ${localTime(wait.until)} (${wait.class})`;
    case "delay":
      return `waiting for the delay of its workflow, until ${localTime(wait.until)}`;
    case "join":
      return `waiting for ${counted(wait.living, "worker")}${wait.min === null ? "" : ` (min ${String(wait.min)})`}${wait.until === null ? "" : `, at most until ${localTime(wait.until)}`}`;
    case "opened":
      return `waiting for the manual session in its conversation, opened ${localTime(wait.since)}`;
    case "answer":
      return `waiting for an answer${wait.until === null ? "" : `, until ${localTime(wait.until)}`}: ${formatQuestion(wait)}`;
    case "place":
      return `queued (--max-parallel ${String(wait.maxParallel)})`;
    case "steps":
      return `waiting for the steps in flight, which may be the last of --max-steps ${String(wait.maxSteps)}`;
    case "money":
      return `waiting for the budget: ${wait.message}`;
  }
}
