import { realpathSync } from "node:fs";
import path from "node:path";
import { en } from "zod/locales";
import * as z from "zod/mini";
import { RaymondError } from "../../language/basics/errors.ts";
import { toMicroUsd } from "../../language/basics/money.ts";
import { type ResumeNeeds, resumeNeeds } from "../../log/resume-needs.ts";
import { newRunId } from "../../machine/model/run-id.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { answer } from "../../run/answer.ts";
import { type DetachOptions, detach } from "../../run/control/detach.ts";
import { type Retried, retry } from "../../run/control/retry.ts";
import { type ResultSet, setResult } from "../../run/control/set-result.ts";
import { stop } from "../../run/control/stop.ts";
import { loadNamed, nameRun } from "../../wire/stores.ts";
import { randomBelow } from "../../wire/system/system.ts";
import type { ActionResultJson, Actions } from "../api.ts";
import { serveErrors } from "./errors.ts";
import type { ServedFolder } from "./served-folder.ts";

type RunAction = Exclude<keyof Actions, "start">;
type Outcome = Pick<ActionResultJson, "outcome" | "message">;

export type RunActions = ReturnType<typeof newRunActions>;

/** Actions on runs, by name. Each validates its body and rejects with a RaymondError. */
export function newRunActions(program: Program) {
  const actions: Readonly<Record<RunAction, Action>> = {
    stop: actionWith<"stop">(z.strictObject({}), newStop()),
    resume: actionWith<"resume">(resumeBody, (of, id, body) => resumeRun(program, of, id, body)),
    retry: actionWith<"retry">(
      z.strictObject({ agent: z.optional(z.string()) }),
      async ({ root, caller }, id, { agent }) => {
        const { outcome } = await retry({ run: id, stateDir: root, agent }, caller);
        return { outcome, message: RETRY_MESSAGES[outcome] };
      },
    ),
    answer: actionWith<"answer">(
      z.strictObject({ agent: z.string(), number: z.int(), text: z.string() }),
      async ({ root, caller }, id, { agent, number, text }) => {
        const { outcome } = await answer({ run: id, stateDir: root, agent, number, text }, caller);
        return { outcome, message: ANSWER_MESSAGES[outcome] };
      },
    ),
    set: actionWith<"set">(
      z.strictObject({ agent: z.string(), result: z.string(), reason: z.optional(z.string()) }),
      async ({ root, caller }, id, { agent, result, reason }) => {
        const given = { run: id, stateDir: root, agent, result, reason };
        const { outcome } = await setResult(given, caller);
        return { outcome, message: SET_MESSAGES[outcome] };
      },
    ),
  };
  return {
    async start(of: ServedFolder, body: unknown): Promise<ActionResultJson> {
      return startRun(program, of, parseBody(startBody, body));
    },
    async run(name: string, of: ServedFolder, id: RunId, body: unknown): Promise<ActionResultJson> {
      if (!Object.hasOwn(actions, name)) throw serveErrors["serve/no-such-action"](name);
      return { workflow_id: id, ...(await actions[name as RunAction](of, id, body)) };
    },
  };
}

/** An action with an unvalidated body. */
type Action = (of: ServedFolder, id: RunId, body: unknown) => Promise<Outcome>;

function actionWith<Name extends RunAction>(
  schema: z.ZodMiniType<Actions[Name]>,
  act: (of: ServedFolder, id: RunId, body: Actions[Name]) => Promise<Outcome>,
): Action {
  return async (of, id, body) => act(of, id, parseBody(schema, body));
}

function newStop(): Action {
  /** Stops in progress by run: a second stop request would kill the steps in flight. */
  const stopping = new Map<string, Promise<unknown>>();
  return async ({ root, caller }, id) => {
    const key = path.join(root, id);
    const stopped =
      stopping.get(key) ??
      stop({ run: id, stateDir: root }, caller).finally(() => stopping.delete(key));
    stopping.set(key, stopped);
    const result = await Promise.race([stopped, stopTimeout()]);
    return result === null
      ? { outcome: "stopping", message: "Stopping: raymond is interrupting the steps in flight." }
      : { outcome: "stopped", message: "Stopped." };
  };
}

/** Resolves after the time that a response waits for a stop to complete. */
function stopTimeout(): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(null);
    }, 2_000).unref();
  });
}

async function startRun(
  program: Program,
  of: ServedFolder,
  body: Actions["start"],
): Promise<ActionResultJson> {
  const { input, budget_usd: budget, simulate, pool, account } = body;
  const workflow = pathInside(of.caller.cwd, body.workflow);
  if (of.board !== null) {
    const budgetMicroUsd = budget === undefined ? undefined : toMicroUsd(budget);
    const wanted = { workflow, input, budgetMicroUsd, simulate, pool, account };
    const workflow_id = await of.board.submit(wanted, of.caller);
    return { workflow_id, outcome: "queued", message: "Queued for a worker." };
  }
  if (pool !== undefined || account !== undefined) {
    throw serveErrors["serve/bad-request"]("only a fleet has pools and accounts.");
  }
  const id = newRunId(new Date(of.caller.now()), randomBelow);
  const args = [
    ...["run", "--workflow-id", id],
    ...(input === undefined ? [] : ["--input", "-"]),
    ...(budget === undefined ? [] : ["--budget", String(budget)]),
    ...(simulate === true ? ["--simulate"] : []),
    workflow,
  ];
  await launch(of, { id, command: [...program, ...args], input: input ?? null });
  return { workflow_id: id, outcome: "started", message: "Started." };
}

/** Process arguments and PostgreSQL texts cannot contain NUL. */
const nonEmptyText = z.string().check(
  z.minLength(1),
  z.refine((text) => !text.includes("\0"), "must not contain NUL"),
);

const startBody = z.strictObject({
  workflow: nonEmptyText,
  input: z.optional(z.string()),
  budget_usd: z.optional(z.number().check(z.positive())),
  simulate: z.optional(z.boolean()),
  pool: z.optional(nonEmptyText),
  account: z.optional(nonEmptyText),
});

const RETRY_MESSAGES: Readonly<Record<Retried["outcome"], string>> = {
  "not-waiting": "The run is not waiting for a delay, a usage limit, an outage or a retry.",
  retrying: "Retrying now.",
  "no-reaction": "The process of the run has not responded yet.",
  queued: "The run is queued and starts as soon as a worker is free.",
  recorded: "The wait is over. Resume the run to continue.",
};

const ANSWER_MESSAGES = {
  received: "Answered.",
  "not-received": "The answer is saved. The process of the run has not responded yet.",
  kept: "The answer is saved. Resume the run to continue.",
  queued: "The answer is saved. The run is queued for a worker.",
} as const;

const SET_MESSAGES: Readonly<Record<ResultSet["outcome"], string>> = {
  received: "The result is set.",
  "no-reaction": "The process of the run has not responded. No result was set.",
  kept: "The result is saved. Resume the run to continue.",
  queued: "The result is saved. The run is queued for a worker.",
};

/** The absolute path of a workflow. Throws `serve/outside` if it is outside the folder, symbolic links resolved. */
function pathInside(folder: string, workflow: string): string {
  const file = path.resolve(folder, workflow);
  const [inside, real] = [folder, file].map((each) => {
    try {
      return realpathSync(each);
    } catch {
      return each;
    }
  });
  const way = path.relative(inside ?? folder, real ?? file);
  if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
    throw serveErrors["serve/outside"](workflow, folder);
  }
  return file;
}

function parseBody<Value>(schema: z.ZodMiniType<Value>, body: unknown): Value {
  const parsed = schema.safeParse(body, { error: en().localeError });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw serveErrors["serve/bad-request"](`${where}${issue?.message ?? ""}`);
}

const resumeBody = z.strictObject({
  add_budget_usd: z.optional(z.number().check(z.positive())),
  max_steps: z.optional(z.int().check(z.minimum(1), z.maximum(1e9))),
  wait: z.optional(z.boolean()),
});

/** Resumes a run, or queues it. Rejects with `serve/stops-again` if it would stop again immediately. */
async function resumeRun(
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

/** The command that runs this raymond: a program and its first arguments. */
export type Program = readonly [command: string, ...args: readonly string[]];

/**
 * Starts a detached raymond for a run, as `--detach` does: it outlives this process. Rejects with its error if the
 * run does not start.
 */
async function launch(
  { root, caller }: ServedFolder,
  { command, ...options }: Omit<DetachOptions, "stateDir">,
): Promise<void> {
  const all = [...command, "--state-dir", root, "--quiet", "--no-input"];
  const started = await detach({ ...options, stateDir: root, command: all }, caller);
  if (started.outcome === "refused") throw new NotLaunchedError(started.said.trim());
}

/** The error that the detached process printed, parsed back into code, message and hint. */
class NotLaunchedError extends RaymondError {
  override readonly name = "NotLaunchedError";
  readonly code: `${string}/${string}`;

  constructor(said: string) {
    const found = /^error: ([\s\S]*?) \[([a-z-]+\/[a-z-]+)\]$/m.exec(said);
    const hint = /^hint: ([\s\S]*)$/m.exec(said)?.[1]?.trim();
    const otherwise =
      said === "" ? "Cannot start the run: the raymond process ended without a message." : said;
    super(found?.[1] ?? otherwise, hint === undefined ? {} : { hint });
    this.code = (found?.[2] ?? "run/not-launched") as `${string}/${string}`;
  }
}
