import { errorOf } from "../../src/machine/model/activity.ts";
import { type RunState, spent } from "../../src/machine/model/run-state.ts";
import { waitsForPerson } from "../../src/machine/moves/question.ts";
import type { Fate } from "./fault-plan.ts";
import type { Oracle } from "./oracle.ts";

/** Why the end of a run is not explained by what happened to it; null where it is. */
export function unexplained(run: RunState, oracle: Oracle, interrupted: boolean): string | null {
  const { stopReason: reason, status, settings, steps } = run;
  const met = (...ends: readonly Fate["end"][]) =>
    [...oracle.attempts.values()].some(({ fate, ended }) => ended && ends.includes(fate.end));
  const textOf = (state: string | null) =>
    oracle.program.states.find(({ name }) => name === state)?.text ?? "";
  const failed = run.agents.some((agent) => errorOf(agent)?.class === reason?.class);
  const because = (explained: boolean) =>
    explained ? null : `it is ${status} because: ${reason?.message ?? "nothing"}`;
  switch (reason?.class) {
    case undefined:
      return because(status === "completed");
    case "crash":
      return because(status === "failed" && failed && met("crash", "refused", "lost"));
    case "deterministic":
      // A script that was killed from outside counts as a script failure after its retries.
      return because(
        status === "failed" && failed && met("fails", "never-runs", "mumbles", "crash"),
      );
    case "denied":
      return because(false);
    case "lost-session":
      return because(status === "failed" && failed && met("lost", "refused"));
    case "limit": {
      const impatient = !settings.wait || settings.maxWaitMs > 0;
      return because(status === "paused" && impatient && met("limit", "limit-until"));
    }
    case "outage":
      return because(status === "paused" && met("outage"));
    case "step-limit": {
      const reached = settings.maxSteps !== null && steps >= settings.maxSteps;
      return because(
        status === "paused" && (reached || textOf(reason.state).includes("max_visits")),
      );
    }
    case "budget":
      return because(
        status === "budget_exceeded" &&
          (spent(run) >= (settings.budgetMicroUsd ?? Infinity) ||
            // Reports of a running step are estimates: the final cost can be lower.
            oracle.usedUp === settings.budgetMicroUsd ||
            textOf(reason.state).includes("budget")),
      );
    case "interrupted":
      return because(status === "interrupted" && interrupted);
    case "parked":
      return because(false);
    case "question":
      return because(status === "paused" && settings.onAsk === "stop" && waitsForPerson(run));
    case "cancelled":
      return because(false);
  }
}
