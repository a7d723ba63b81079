import { realpathSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { toMicroUsd } from "../../language/basics/money.ts";
import { newRunId } from "../../machine/run-id.ts";
import type { RunId } from "../../machine/run-state.ts";
import { answer } from "../../run/answer.ts";
import { type Retried, retry } from "../../run/control/retry.ts";
import { stop } from "../../run/control/stop.ts";
import { randomBelow } from "../../wire/system/system.ts";
import type { ActionResultJson, Actions } from "../api.ts";
import { serveErrors } from "./errors.ts";
import { launch, type Program } from "./launch.ts";
import { flagsOf, parseResume } from "./resume-body.ts";
import type { ServedFolder } from "./served-folder.ts";

type RunAction = Exclude<keyof Actions, "start">;
type Outcome = Pick<ActionResultJson, "outcome" | "message">;

/** Actions on runs, by name. Each validates its body and rejects with a RaymondError. */
export interface RunActions {
  start(of: ServedFolder, body: unknown): Promise<ActionResultJson>;
  run(name: string, of: ServedFolder, id: RunId, body: unknown): Promise<ActionResultJson>;
}

export function newRunActions(program: Program): RunActions {
  /** Stops in progress by run: a second stop request would kill the steps in flight. */
  const stopping = new Map<string, Promise<unknown>>();

  const stopRun = async (of: ServedFolder, id: RunId): Promise<Outcome> => {
    const key = path.join(of.root, id);
    let stopped = stopping.get(key);
    if (stopped === undefined) {
      stopped = stop({ run: id, stateDir: of.root }, of.caller).finally(() => stopping.delete(key));
      stopping.set(key, stopped);
    }
    const result = await Promise.race([stopped, stopTimeout()]);
    return result === null
      ? { outcome: "stopping", message: "Stopping: raymond is interrupting the steps in flight." }
      : { outcome: "stopped", message: "Stopped." };
  };

  const commandOf = (args: readonly string[], { root }: ServedFolder) => {
    return [...program, ...args, "--state-dir", root, "--quiet", "--no-input"];
  };

  const acts: Readonly<Record<RunAction, Action>> = {
    stop: actionWith<"stop">(z.strictObject({}), stopRun),
    resume: actionWith<"resume">(resumeBody, async (of, id, body) => {
      const given = await parseResume(of, id, body);
      if (of.board !== null) {
        const { addBudgetUsd: usd, settings } = given;
        const addBudgetMicroUsd = usd === undefined ? undefined : toMicroUsd(usd);
        await of.board.resume({ run: id, addBudgetMicroUsd, settings }, of.caller);
        return { outcome: "queued", message: "Queued for a worker." };
      }
      const command = commandOf(["resume", id, ...flagsOf(given)], of);
      await launch({ run: id, stateDir: of.root, command, input: null }, of.caller);
      return { outcome: "resumed", message: "Resumed." };
    }),
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
        const given = { run: id, stateDir: root, agent, number, text, via: "dashboard" } as const;
        const { outcome } = await answer(given, caller);
        return { outcome, message: ANSWER_MESSAGES[outcome] };
      },
    ),
  };

  return {
    async start(of, body) {
      const wanted = parseBody(startBody, body);
      const workflow = pathInside(of.caller.cwd, wanted.workflow);
      if (of.board !== null) {
        const { budget_usd: usd, ...given } = wanted;
        const budgetMicroUsd = usd === undefined ? undefined : toMicroUsd(usd);
        const options = { ...SUBMIT_DEFAULTS, ...given, workflow, budgetMicroUsd };
        const run = await of.board.submit(options, of.caller);
        return {
          workflow_id: run,
          outcome: "queued",
          message: "Queued for a worker.",
        };
      }
      if (wanted.pool !== undefined || wanted.account !== undefined) {
        throw serveErrors["serve/bad-request"]("only a fleet has pools and accounts.");
      }
      const id = newRunId(new Date(of.caller.now()), randomBelow);
      const { input, budget_usd: budget, simulate } = wanted;
      const args = [
        ...["run", "--workflow-id", id],
        ...(input === undefined ? [] : ["--input", "-"]),
        ...(budget === undefined ? [] : ["--budget", String(budget)]),
        ...(simulate === true ? ["--simulate"] : []),
        workflow,
      ];
      const command = commandOf(args, of);
      await launch({ id, stateDir: of.root, command, input: input ?? null }, of.caller);
      return { workflow_id: id, outcome: "started", message: "Started." };
    },
    async run(name, of, id, body) {
      if (!Object.hasOwn(acts, name)) throw serveErrors["serve/no-such-action"](name);
      return { workflow_id: id, ...(await acts[name as RunAction](of, id, body)) };
    },
  };
}

/** An action with an unvalidated body. */
type Action = (of: ServedFolder, id: RunId, body: unknown) => Promise<Outcome>;

function actionWith<Name extends RunAction>(
  takes: z.ZodMiniType<Actions[Name]>,
  act: (of: ServedFolder, id: RunId, given: Actions[Name]) => Promise<Outcome>,
): Action {
  return async (of, id, body) => act(of, id, parseBody(takes, body));
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

const resumeBody = z.strictObject({
  add_budget_usd: z.optional(z.number().check(z.positive())),
  max_steps: z.optional(z.int().check(z.minimum(1), z.maximum(1e9))),
  wait: z.optional(z.boolean()),
});

const SUBMIT_DEFAULTS = {
  input: undefined,
  simulate: undefined,
  pool: undefined,
  account: undefined,
};

const RETRY_MESSAGES: Readonly<Record<Retried["outcome"], string>> = {
  "not-waiting": "The run is not waiting for a delay, a usage limit, an outage or a retry.",
  retrying: "Retrying now.",
  "no-reaction": "The process of the run has not responded yet.",
  queued: "The run is queued and starts as soon as a worker is free.",
  recorded: "The wait is over. Resume the run to continue.",
};

const ANSWER_MESSAGES = {
  heard: "Answered.",
  "not-heard": "The answer is saved. The process of the run has not responded yet.",
  kept: "The answer is saved. Resume the run to continue.",
  queued: "The answer is saved. The run is queued for a worker.",
} as const;

/** Resolves after the time that a response waits for a stop to complete. */
function stopTimeout(): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(null);
    }, 2_000).unref();
  });
}

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

function parseBody<Value>(takes: z.ZodMiniType<Value>, body: unknown): Value {
  const found = takes.safeParse(body);
  if (found.success) return found.data;
  const issue = found.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw serveErrors["serve/bad-request"](`${where}${issue?.message ?? ""}`);
}
