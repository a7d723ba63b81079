import { counted } from "../core/counted.ts";
import type { AgentWait } from "../core/machine/agent-wait.ts";
import { shownQuestion } from "../core/machine/question.ts";
import { localTime } from "./local-time.ts";

/** What an agent waits for, for people: the end of a sentence that begins with the agent. */
export function formatWait(wait: AgentWait): string {
  switch (wait.kind) {
    case "limit":
      return `waits for the end of the usage limit, until ${localTime(wait.until)}`;
    case "probe":
      return `waits for ${wait.agent}, which tries first whether the usage limit is over`;
    case "retry":
      return `waits for its next attempt, until ${localTime(wait.until)} (${wait.class})`;
    case "delay":
      return `waits until ${localTime(wait.until)}, as its workflow says`;
    case "join":
      return `waits for ${counted(wait.living, "worker")}${wait.min === null ? "" : ` until ${String(wait.min)} have ended well`}${wait.until === null ? "" : `, at most until ${localTime(wait.until)}`}`;
    case "opened":
      return `waits for the person who has opened its conversation, since ${localTime(wait.since)}`;
    case "answer":
      return `waits for an answer${wait.until === null ? "" : `, until ${localTime(wait.until)}`}: ${shownQuestion(wait)}`;
    case "place":
      return `waits for a place: --max-parallel ${String(wait.maxParallel)} lets no more prompts run at once`;
    case "steps":
      return `waits for the steps that run: they may be the last of --max-steps ${String(wait.maxSteps)}`;
    case "money":
      return `waits for money: ${wait.message}`;
  }
}
