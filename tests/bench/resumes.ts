import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Program, timeInTurns } from "./measure.ts";
import type { Scale } from "./scale.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { sleepsOnce } from "./workflows.ts";

/** From the start of `raymond resume` to the first script, which kills it. */
export async function compareResumes(
  bed: TestBed,
  { resumed, shortRounds }: Scale,
): Promise<readonly Row[]> {
  const [few, many] = resumed;
  const programs = { few: await resumeOf(bed, few), many: await resumeOf(bed, many) };
  const times = await timeInTurns(programs, shortRounds);
  const what = `resume to the first script, ${String(many)} agents, against ${String(few)}`;
  return [{ what, floor: times.few.wall, raymond: times.many.wall, unit: "ms", target: 1.5 }];
}

let made = 0;

/** Interrupted runs with many agents: copies of one run. */
async function resumeOf(bed: TestBed, agents: number): Promise<Program> {
  // Two builds are compared in several turns.
  made += 1;
  const id = `resume-${String(agents)}-${String(made)}`;
  const workflow = await bed.workflow(id, sleepsOnce);
  const { args, cwd } = bed.raymond(workflow, "--quiet", `--workflow-id=${id}`);
  const child = spawn(process.execPath, args, { cwd, stdio: "ignore" });
  const exit = once(child, "exit");
  const file = path.join(cwd, ".raymond", "workflows", `${id}.json`);
  while ((await agentsIn(file)) < 2) await delay(20);
  child.kill("SIGINT");
  await exit;
  const state = JSON.parse(await readFile(file, "utf8")) as State;
  const [main, worker] = state.agents;
  const workers = Array.from({ length: agents - 1 }, (_, n) => {
    return { ...worker, id: `main_worker${String(n + 1)}` };
  });
  const forked = { ...state.fork_counters, main: agents - 1 };
  const text = JSON.stringify({ ...state, agents: [main, ...workers], fork_counters: forked });
  await writeFile(path.join(workflow, "resumed"), "");
  // The project of the benchmark is no repository that git can read.
  const program = bed.raymond("resume", id, "--quiet", "--trust-project");
  return { ...program, ends: "SIGKILL", before: () => writeFile(file, text) };
}

interface State {
  readonly agents: readonly { readonly id: string }[];
  readonly fork_counters: object;
}

async function agentsIn(file: string): Promise<number> {
  try {
    const state = JSON.parse(await readFile(file, "utf8")) as State;
    return state.agents.length;
  } catch {
    return 0;
  }
}
