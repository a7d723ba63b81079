import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp } from "node:fs/promises";
import path from "node:path";
import type { OverviewJson, RunsJson } from "../../src/dashboard/api.ts";
import { saveLongRun } from "../support/long-run.ts";
import { type Sample, sampleOf, timeInTurns } from "./measure.ts";
import type { Scale } from "./scale.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { loop } from "./workflows.ts";

/** Cost of a dashboard for an open run, and latency of its first responses for a long run. */
export async function compareServes(
  bed: TestBed,
  { steps, longRounds, served }: Scale,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("served", loop(steps));
  const watched = await mkdtemp(path.join(bed.root, "watched-"));
  await mkdir(path.join(watched, "runs"), { recursive: true });
  const [long, agents] = served;
  await saveLongRun(watched, { id: "long", steps: long, agents, folder: workflow });
  const { child, url } = await serve(bed, watched);
  try {
    const browser = await letIn(url);
    const answers = await firstAnswers(browser);
    void follow(browser);
    const times = await timeInTurns(
      {
        alone: bed.raymond(workflow, "--quiet", `--state-dir=${bed.root}/alone`),
        watched: bed.raymond(workflow, "--quiet", `--state-dir=${watched}`),
      },
      longRounds,
    );
    const what = `${String(steps)} script steps that a browser watches, against alone`;
    const of = `of ${String(long)} steps and ${String(agents)} agents`;
    const inMs = { floor: null, unit: "ms" } as const;
    return [
      { what, floor: times.alone.wall, raymond: times.watched.wall, unit: "ms", target: 1.05 },
      { what: `first overview ${of}`, ...inMs, raymond: answers.overview, target: 200 },
      { what: `its first steps ${of}`, ...inMs, raymond: answers.steps, target: 200 },
      { what: `its graph ${of}`, ...inMs, raymond: answers.graph, target: 1_000 },
    ];
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/** A dashboard of the folder, and its address with the token. */
export async function serve(
  bed: TestBed,
  folder: string,
): Promise<{ readonly child: ChildProcess; readonly url: URL }> {
  const { args, cwd } = bed.raymond("serve", folder);
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as readonly unknown[];
  return { child, url: new URL(String(line).trim()) };
}

/** An HTTP client that is signed in. */
interface Browser {
  ask(at: string): Promise<Response>;
}

async function letIn(url: URL): Promise<Browser> {
  const arrived = await fetch(url, { redirect: "manual" });
  const cookie = arrived.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { ask: (at) => fetch(new URL(at, url), { headers: { cookie } }) };
}

/** In the order in which the page sends them. */
async function firstAnswers(
  browser: Browser,
): Promise<Readonly<Record<"overview" | "steps" | "graph", Sample>>> {
  const { folders } = (await (await browser.ask("/api/runs")).json()) as RunsJson;
  const run = `/api/folders/${folders[0]?.folder ?? ""}/runs/long`;
  const taken = async (at: string): Promise<Sample> => {
    const began = performance.now();
    await (await browser.ask(at)).text();
    return sampleOf([performance.now() - began]);
  };
  return {
    overview: await taken(run),
    steps: await taken(`${run}/steps?limit=50`),
    graph: await taken(`${run}/graph`),
  };
}

/** Follows every new run as the page does: its events, and its overview after each change. */
async function follow(browser: Browser): Promise<void> {
  const known = new Set(["long"]);
  await listen(await browser.ask("/api/events"), async () => {
    const { folders } = (await (await browser.ask("/api/runs")).json()) as RunsJson;
    for (const { folder, runs } of folders) {
      for (const { workflow_id: id } of runs.filter((run) => !known.has(run.workflow_id))) {
        known.add(id);
        void followRun(browser, `/api/folders/${folder}/runs/${id}`);
      }
    }
    return true;
  });
}

async function followRun(browser: Browser, run: string): Promise<void> {
  await listen(await browser.ask(`${run}/events?after=0`), async (text) => {
    if (!text.includes("event: changed")) return true;
    const { status } = (await (await browser.ask(run)).json()) as OverviewJson;
    return status !== "completed";
  });
}

/** Reads a stream until the callback returns true or the server ends. */
async function listen(
  answer: Response,
  receive: (text: string) => Promise<boolean>,
): Promise<void> {
  const decoder = new TextDecoder();
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
    if (done || !(await receive(decoder.decode(value)).catch(() => false))) break;
  }
  await reader.cancel().catch(() => undefined);
}
