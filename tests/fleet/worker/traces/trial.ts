import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OpenFleet } from "../../../../src/fleet/admin/open.ts";
import { fleetErrors } from "../../../../src/fleet/errors.ts";
import { submit } from "../../../../src/fleet/queue/submit.ts";
import { findPlacement } from "../../../../src/fleet/store/rows/placed-runs.ts";
import { failOver } from "../../../../src/fleet/worker/runs/requeue.ts";
import { forgetAcceptedPrompts } from "../../../../src/machine/steps/recover.ts";
import { resume } from "../../../../src/run/resume.ts";
import { start } from "../../../../src/run/start.ts";
import { answerFiles } from "../../../../src/storage/answer-files.ts";
import { printRun } from "../../../../src/storage/codec/print-run.ts";
import { fileStore } from "../../../../src/storage/file.ts";
import { thisProcess } from "../../../../src/wire/caller.ts";
import { BrokenOffError } from "../../../../src/wire/errors.ts";
import { thisSystem } from "../../../../src/wire/system/system.ts";
import { FAKE_CLAUDE } from "../../../fixtures/fake-client.ts";
import type { SmallWorkflow } from "./small-workflow.ts";
import { SteppedWorld } from "./stepped-world.ts";
import { type TestWorker, testWorker } from "./test-worker.ts";
import { type Raw, type Trace, traceOf } from "./trace.ts";

/** The save before which the first process dies, and the process that resumes the run. */
export interface Death {
  readonly before: number;
  readonly next: "its machine" | "another machine";
}

/** The same workflow, executed in several ways. */
export interface Trial {
  readonly workflow: SmallWorkflow;
  readonly choices: readonly number[];
}

/** Calls `work` in a temporary project with the workflow in `w`. */
export async function inProject<T>(
  { workflow }: Trial,
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-traces-")));
  try {
    for (const folder of ["w", "sub"]) await mkdir(path.join(dir, folder));
    for (const [name, text] of Object.entries(workflow.files)) {
      await writeFile(path.join(dir, "w", name), text);
    }
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function worldOf({ workflow: { ends }, choices }: Trial, dir: string) {
  const world = new SteppedWorld({ ends, choices });
  const env = {
    ...{ PATH: process.env["PATH"] ?? "", HOME: dir, CLAUDE_CONFIG_DIR: path.join(dir, "client") },
    RAYMOND_CLAUDE: FAKE_CLAUDE,
  };
  const { now } = world.clock;
  const system = () => Promise.resolve(world.system);
  return { world, caller: thisProcess({ cwd: dir, env, now, system }) };
}

const wanted = ({ settings, attributes, input }: SmallWorkflow, id: string) => {
  return { workflow: "w", id, settings, attributes, input };
};

/** The trace of the run without a fleet, from files. */
export async function localTrace(
  trial: Trial,
  id: string,
  dir: string,
  death: Death | null,
): Promise<Trace> {
  const { world, caller } = worldOf(trial, dir);
  const root = path.join(dir, `here-${id}`);
  const { disk } = thisSystem;
  const files = fileStore(root, { disk });
  const artifacts = await files.artifacts(id);
  world.answersTo((answer) => answerFiles(disk, artifacts.answers).submit(answer));
  if (death !== null) world.failAt(death.before, () => Promise.reject(new Error("it dies")));
  const options = { ...wanted(trial.workflow, id), stateDir: root };
  try {
    await start(options, caller);
  } catch (error) {
    if (!(error instanceof BrokenOffError) || death === null) throw error;
    if (death.next === "another machine") await forgetPrompts(id, root);
    await resume({ run: id, stateDir: root }, caller);
  }
  const run = await files.load(id);
  if (run === undefined) throw new Error("the run does not exist");
  const read = async (file: string) => linesOf(await readFile(file, "utf8"));
  const raw: Raw = {
    events: await read(artifacts.events),
    journal: await read(artifacts.journal),
    run,
  };
  return traceOf(raw, [
    // A run of a fleet has no state folder.
    [`"stateFolder":${JSON.stringify(root)},`, ""],
    [root, "<place>"],
  ]);
}

/** Resets the state to that of a machine whose client has never received the prompts. */
async function forgetPrompts(id: string, root: string): Promise<void> {
  const run = await fileStore(root, { disk: thisSystem.disk }).load(id);
  if (run === undefined) throw new Error("the run does not exist");
  await writeFile(
    path.join(root, "workflows", `${id}.json`),
    printRun(forgetAcceptedPrompts(run)).text,
  );
}

/** The trace of the run in a fleet. */
export async function fleetTrace(
  trial: Trial,
  id: string,
  dir: string,
  death: Death | null,
  fleet: OpenFleet,
): Promise<Trace> {
  const { world, caller } = worldOf(trial, dir);
  const { database, store } = fleet;
  const root = path.join(dir, `there-${id}`);
  world.answersTo(async (answer) => (await store.answers(id)).submit(answer));
  const workspace = { kind: "shared", folder: dir } as const;
  const placement = {
    ...{ pool: "default", account: null, pinned: null, workspace, failoverAfterMs: 1_000 },
    sessions: { kind: "home" } as const,
  };
  await submit({ ...wanted(trial.workflow, id), placement }, fleet, caller);
  await live({ id, fleet, world, death }, (machine) =>
    testWorker(machine, root, fleet, world, caller),
  );
  const run = await store.load(id);
  if (run === undefined) throw new Error("the run does not exist");
  const events = await database.query<{ line: string }>(
    "SELECT line FROM raymond.events WHERE run = $1 ORDER BY seq",
    [id],
  );
  const journal = await database.query<{ record: string }>(
    "SELECT record FROM raymond.journal WHERE run = $1 ORDER BY id",
    [id],
  );
  const raw: Raw = {
    events: events.map(({ line }) => line.trim()),
    journal: journal.map(({ record }) => record),
    run,
  };
  return traceOf(raw, [
    [new RegExp(`${root}/m\\d/fleet/workflows/\\w+/w`, "g"), path.join(dir, "w")],
    [new RegExp(`${root}/m\\d`, "g"), "<place>"],
  ]);
}

interface Life {
  readonly id: string;
  readonly fleet: OpenFleet;
  readonly world: SteppedWorld;
  readonly death: Death | null;
}

/** Executes a run until it ends, with a takeover after the death of the first process. */
async function live(
  { id, fleet, world, death }: Life,
  begin: (machine: string) => Promise<TestWorker>,
): Promise<void> {
  const first = await begin("m1");
  let isDead = false;
  const hasDied = () => isDead;
  if (death !== null) {
    world.failAt(death.before, async () => {
      isDead = true;
      if (death.next === "another machine") return failOverRun(id, fleet);
      first.lose();
      throw fleetErrors["fleet/worker-over"](id);
    });
  }
  void first.resume(id, 1);
  await first.over();
  await first.end();
  if (!hasDied()) return;
  const elsewhere = death?.next === "another machine";
  const next = await begin(elsewhere ? "m2" : "m1");
  await next.resume(id, elsewhere ? 2 : 1);
  await next.end();
}

/** Requeues the run like a worker that finds that the lease of the home has expired. Later saves of the home are refused. */
async function failOverRun(id: string, { database, queues }: OpenFleet): Promise<void> {
  await database.query("UPDATE raymond.holders SET heartbeat_at = now() - interval '1 hour'");
  const row = await findPlacement(database, id);
  const isRequeued = row !== null && (await failOver(row, { database, queues: await queues() }));
  if (!isRequeued) throw new Error("the run was not requeued");
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
