import * as z from "zod/mini";
import { toMicroUsd } from "../../language/basics/money.ts";
import { type ResumeNeeds, resumeNeeds } from "../../log/resume-needs.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { loadNamed, nameRun } from "../../wire/stores.ts";
import type { ActionResultJson, Actions } from "../api.ts";
import { serveErrors } from "./errors.ts";
import { launch, type Program } from "./launch.ts";
import type { ServedFolder } from "./served-folder.ts";

export const resumeBody = z.strictObject({
  add_budget_usd: z.optional(z.number().check(z.positive())),
  max_steps: z.optional(z.int().check(z.minimum(1), z.maximum(1e9))),
  wait: z.optional(z.boolean()),
});

/** Resumes a run, or queues it. Rejects with `serve/stops-again` if it would stop again immediately. */
export async function resumeRun(
  program: Program,
  of: ServedFolder,
  id: RunId,
  body: Actions["resume"],
): Promise<Pick<ActionResultJson, "outcome" | "message">> {
  const { board, root, caller } = of;
  const named = await nameRun({ run: id, stateDir: root }, caller);
  const run = await loadNamed(named.store, named.id);
  const needs = resumeNeeds(run);
  const missing = missingIn(body, needs, run);
  if (missing !== null)
    throw serveErrors["serve/stops-again"](run.stopReason?.message ?? "", missing);
  const { add_budget_usd: addBudget, max_steps: maxSteps, wait } = body;
  const maxWaitMinutes = wait === true ? needs.maxWaitMinutes : null;
  if (board !== null) {
    const addBudgetMicroUsd = addBudget === undefined ? undefined : toMicroUsd(addBudget);
    const settings = {
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(wait === undefined ? {} : { wait }),
      ...(maxWaitMinutes === null ? {} : { maxWaitMs: maxWaitMinutes * 60_000 }),
    };
    await board.resume({ run: id, addBudgetMicroUsd, settings }, caller);
    return { outcome: "queued", message: "Queued for a worker." };
  }
  const flags = [
    ...(addBudget === undefined ? [] : ["--add-budget", String(addBudget)]),
    ...(maxSteps === undefined ? [] : ["--max-steps", String(maxSteps)]),
    ...(wait === undefined ? [] : [wait ? "--wait" : "--no-wait"]),
    ...(maxWaitMinutes === null ? [] : ["--max-wait", `${String(maxWaitMinutes)}m`]),
  ];
  await launch(of, { run: id, command: [...program, "resume", id, ...flags], input: null });
  return { outcome: "resumed", message: "Resumed." };
}

function missingIn(
  { add_budget_usd, max_steps = 0, wait }: Actions["resume"],
  needs: ResumeNeeds,
  { steps }: RunState,
): string | null {
  if (needs.budget !== null && add_budget_usd === undefined) return "add_budget_usd";
  if (needs.maxSteps !== null && max_steps <= steps)
    return `max_steps, such as ${String(needs.maxSteps)}`;
  return (needs.wait || needs.maxWaitMinutes !== null) && wait !== true ? "wait: true" : null;
}
