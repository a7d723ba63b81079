import { realpathSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import type { RunId } from "../core/machine/run-state.ts";
import { toMicroUsd } from "../core/money.ts";
import { newRunId } from "../core/run-id.ts";
import { answer } from "../runs/answer.ts";
import { retryNow } from "../runs/retry-now.ts";
import { stop } from "../runs/stop.ts";
import { wake } from "../runs/wake.ts";
import { randomBelow } from "../runs/wire/system.ts";
import type { Actions, DoneJson } from "./api.ts";
import { RefusedError } from "./errors.ts";
import { launch, type Program } from "./launch.ts";
import { flagsOf, givenOnResume } from "./resuming.ts";
import type { ServedFolder } from "./served-folder.ts";

type RunAction = Exclude<keyof Actions, "start">;
type Done = Pick<DoneJson, "outcome" | "said">;

/** What can be done with a run, by its name. Each reads what it is given, and rejects with a RaymondError. */
export interface Actor {
  start(of: ServedFolder, body: unknown): Promise<DoneJson>;
  act(name: string, of: ServedFolder, id: RunId, body: unknown): Promise<DoneJson>;
}

export function newActor(program: Program): Actor {
  /** A second wish to stop would be heard as impatience, and kill what is in flight. */
  const stopping = new Map<string, Promise<unknown>>();

  const stopRun = async (of: ServedFolder, id: RunId): Promise<Done> => {
    const key = path.join(of.root, id);
    const going = stopping.get(key);
    const end = going ?? stop({ run: id, stateDir: of.root }, of.caller);
    if (going === undefined) {
      stopping.set(key, end);
      const over = () => stopping.delete(key);
      end.then(over, over);
    }
    const stopped = await Promise.race([end, patience()]);
    return stopped === null
      ? { outcome: "stopping", said: "Stopping: steps in flight are interrupted." }
      : { outcome: "stopped", said: "Stopped." };
  };

  const commandOf = (args: readonly string[], { root }: ServedFolder) => {
    return [...program, ...args, "--state-dir", root, "--quiet", "--no-input"];
  };

  const acts: Readonly<Record<RunAction, Act>> = {
    stop: taking<"stop">(z.strictObject({}), stopRun),
    resume: taking<"resume">(RESUMING, async (of, id, body) => {
      const given = await givenOnResume(of, id, body);
      if (of.board !== null) {
        const { addBudgetUsd: usd, settings } = given;
        const addBudgetMicroUsd = usd === undefined ? undefined : toMicroUsd(usd);
        await of.board.resume({ run: id, addBudgetMicroUsd, settings }, of.caller);
        return { outcome: "queued", said: "Queued for a worker of the fleet." };
      }
      const command = commandOf(["resume", id, ...flagsOf(given)], of);
      await launch({ run: id, stateDir: of.root, command, input: null }, of.caller);
      return { outcome: "resumed", said: "Resumed." };
    }),
    "retry-now": taking<"retry-now">(z.strictObject({}), async ({ root, caller }, id) => {
      const { outcome } = await retryNow({ run: id, stateDir: root }, caller);
      return { outcome, said: RETRIED[outcome] };
    }),
    wake: taking<"wake">(
      z.strictObject({ agent: z.optional(z.string()) }),
      async ({ root, caller }, id, { agent }) => {
        const { outcome } = await wake({ run: id, stateDir: root, agent }, caller);
        return { outcome, said: WOKEN[outcome] };
      },
    ),
    answer: taking<"answer">(
      z.strictObject({ agent: z.string(), number: z.int(), text: z.string() }),
      async ({ root, caller }, id, { agent, number, text }) => {
        const given = { run: id, stateDir: root, agent, number, text, via: "dashboard" } as const;
        const { outcome } = await answer(given, caller);
        return { outcome, said: ANSWERED[outcome] };
      },
    ),
  };

  return {
    async start(of, body) {
      const wanted = read(STARTING, body);
      const workflow = insideOf(of.caller.cwd, wanted.workflow);
      if (of.board !== null) {
        const { budget_usd: usd, ...given } = wanted;
        const budgetMicroUsd = usd === undefined ? undefined : toMicroUsd(usd);
        const options = { ...NOT_GIVEN, ...given, workflow, budgetMicroUsd };
        const run = await of.board.submit(options, of.caller);
        return { workflow_id: run, outcome: "queued", said: "Queued for a worker of the fleet." };
      }
      if (wanted.pool !== undefined || wanted.account !== undefined) throw noPoolHere();
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
      return { workflow_id: id, outcome: "started", said: "Started." };
    },
    async act(name, of, id, body) {
      if (!Object.hasOwn(acts, name)) throw noSuchAction(name);
      return { workflow_id: id, ...(await acts[name as RunAction](of, id, body)) };
    },
  };
}

/** One of them: it is given a body as it came. */
type Act = (of: ServedFolder, id: RunId, body: unknown) => Promise<Done>;

function taking<Name extends RunAction>(
  takes: z.ZodMiniType<Actions[Name]>,
  act: (of: ServedFolder, id: RunId, given: Actions[Name]) => Promise<Done>,
): Act {
  return async (of, id, body) => act(of, id, read(takes, body));
}

/** Of a path or a name: no argument of a process, and no text of a database, can hold NUL. */
const word = z.string().check(
  z.minLength(1),
  z.refine((text) => !text.includes("\0"), "it holds a NUL character"),
);

const STARTING = z.strictObject({
  workflow: word,
  input: z.optional(z.string()),
  budget_usd: z.optional(z.number().check(z.positive())),
  simulate: z.optional(z.boolean()),
  pool: z.optional(word),
  account: z.optional(word),
});

const RESUMING = z.strictObject({
  add_budget_usd: z.optional(z.number().check(z.positive())),
  max_steps: z.optional(z.int().check(z.minimum(1), z.maximum(1e9))),
  wait: z.optional(z.boolean()),
});

const NOT_GIVEN = { input: undefined, simulate: undefined, pool: undefined, account: undefined };

const RETRIED = {
  "not-waiting": "The run is not waiting for a usage limit, an outage or a retry.",
  heard: "Retrying now.",
  "no-reaction": "The process of the run did not respond yet.",
  "wait-ended": "The wait is over. No process runs it: resume it.",
} as const;

const WOKEN = {
  "not-delayed": "No agent is waiting for a delay.",
  heard: "The delay is over.",
  "no-reaction": "The process of the run did not respond yet.",
  begun: "It starts as soon as a worker is free.",
  "delay-ended": "The delay is over. No process runs it: resume it.",
} as const;

const ANSWERED = {
  heard: "Answered.",
  "not-heard": "The answer is saved. The process of the run did not respond yet.",
  kept: "The answer is saved. No process runs it: resume it.",
  queued: "The answer is saved. The run is queued: a worker resumes it.",
} as const;

/** An ordinary stop takes some seconds, and a browser need not wait for the end of a long one. */
function patience(): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(null);
    }, 2_000).unref();
  });
}

/** A path below this folder, absolute; throws for what lies outside, also by way of links. */
function insideOf(folder: string, workflow: string): string {
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
    throw new RefusedError(
      403,
      "serve/outside",
      `${workflow} lies outside of ${folder}.`,
      "From here only what lies in that folder is started. Others are started from a terminal.",
    );
  }
  return file;
}

function read<Value>(takes: z.ZodMiniType<Value>, body: unknown): Value {
  const found = takes.safeParse(body);
  if (found.success) return found.data;
  const issue = found.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new RefusedError(
    400,
    "serve/bad-request",
    `The request is none that this takes. ${where}${issue?.message ?? ""}`,
    "docs/dashboard.md says what each action takes.",
  );
}

function noPoolHere(): RefusedError {
  return new RefusedError(
    400,
    "serve/bad-request",
    "A pool and an account are of a fleet, and this is a folder.",
    "Leave them away.",
  );
}

function noSuchAction(name: string): RefusedError {
  return new RefusedError(
    404,
    "serve/no-such-action",
    `There is no action ${name}.`,
    "docs/dashboard.md says which there are.",
  );
}
