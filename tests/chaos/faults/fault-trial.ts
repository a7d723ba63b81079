import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp } from "node:fs/promises";
import path from "node:path";
import { type Project, tempProject } from "../../support/project.ts";
import { CHAOS_MAIN } from "../place.ts";
import { FAULT_LOG_VARIABLE, FAULT_VARIABLE } from "./fault-disk.ts";

const note = (name: string) => `echo ${name} >>effects\n`;

/** Scripts only: a fork, a call, and a result in a separate file. */
const WORKFLOW = {
  "w/START.sh": `${note("START.sh")}echo '<fork next="NEXT" item="1">WORK</fork>'`,
  "w/WORK.sh": `${note("WORK.sh")}echo "<result>$(head -c 70000 /dev/zero | tr '\\0' x)</result>"`,
  "w/NEXT.sh": `${note("NEXT.sh")}echo '<call return="BACK">CHILD</call>'`,
  "w/CHILD.sh": `${note("CHILD.sh")}echo '<result>of the child</result>'`,
  "w/BACK.sh": `${note("BACK.sh")}echo '<goto>END</goto>'`,
  "w/END.sh": `${note("END.sh")}echo "<result>done</result>"`,
};

const STATE = ".raymond/workflows/one.json";
const START = ["w", "--workflow-id", "one", "--no-debug"];
const RESUME = ["--resume", "one", "--max-steps", "100"];

/** A fault and the command in which it occurs. */
export interface Fault {
  readonly during: "a run" | "a resume" | "a list" | "a prune";
  /** From 1. */
  readonly nth: number;
  readonly code: string;
}

interface Said {
  readonly exitCode: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The problem after a fault, or an empty result; null: there are fewer calls. */
export async function tryFault(
  { during, nth, code }: Fault,
  paused: Project,
): Promise<readonly string[] | null> {
  const project = await tempProject(during === "a run" ? WORKFLOW : {});
  if (during !== "a run") await copy(paused, project);
  const log = path.join(project.home, "fault");
  const env = { [FAULT_VARIABLE]: `#${String(nth)}:${code}`, [FAULT_LOG_VARIABLE]: log };
  const said = await raymond(project, words(during), env);
  const met = await project.read(path.relative(project.dir, log)).catch(() => null);
  if (met === null) return null;

  const wrong = [...judgeWords(said, code, during), ...(await resumeAndCheck(project, during))];
  const where = `${during}, #${String(nth)} ${met.trim().replaceAll(project.dir, "")}:${code}`;
  return wrong.map((each) => `${where}: ${each}\n${said.stderr}`);
}

/** A project with a run that stopped after three steps. */
export async function pausedProject(): Promise<Project> {
  const project = await tempProject(WORKFLOW);
  await raymond(project, [...START, "--max-steps", "3"]);
  return project;
}

function words(during: Fault["during"]): readonly string[] {
  switch (during) {
    case "a run":
      return START;
    case "a resume":
      return RESUME;
    case "a list":
      return ["list", "--all"];
    case "a prune":
      return ["prune", "one"];
  }
}

function judgeWords(said: Said, code: string, during: string): readonly string[] {
  const { exitCode, stderr, stdout } = said;
  const wrong: string[] = [];
  if (/This is a bug|^ {4}at /m.test(stderr)) wrong.push("it shows a stack");
  if (exitCode === 0 && /a (run|resume)/.test(during) && stdout !== "done\n") {
    wrong.push(`it ended well and said ${JSON.stringify(stdout)}`);
  }
  if (exitCode === 0) return wrong;
  if (exitCode !== 1 && exitCode !== 2) wrong.push(`exit code ${String(exitCode)}`);
  if (!/^error: .*\/.*/m.test(stderr)) wrong.push("no line names a path");
  if (!stderr.includes(`(${code})`)) wrong.push("no line names the reason");
  if (!/^hint: \S/m.test(stderr)) wrong.push("no hint");
  return wrong;
}

/** Completes the run without a fault, and checks that recorded steps are not repeated. */
async function resumeAndCheck(
  project: Project,
  during: Fault["during"],
): Promise<readonly string[]> {
  if (during === "a prune") {
    const again = await raymond(project, ["prune", "one"]);
    const left = await project.read(STATE).catch(() => null);
    // 7: it was already deleted.
    const fine = left === null && (again.exitCode === 0 || again.exitCode === 7);
    return fine ? [] : [`pruning again: ${String(again.exitCode)} ${again.stderr}`];
  }
  const state = await project.read(STATE).catch(() => null);
  const open = state === null ? ["START.sh"] : statesOf(state);
  const before = await effects(project);
  if (state === null && before.length > 0)
    return [`nothing was recorded, and ${before.join()} ran`];
  const over = state !== null && (JSON.parse(state) as { status: string }).status === "completed";
  const again = over ? null : await raymond(project, state === null ? START : RESUME);
  const wrong: string[] = [];
  if (again !== null && (again.exitCode !== 0 || again.stdout !== "done\n")) {
    wrong.push(`resume: ${String(again.exitCode)} ${again.stderr}`);
  }
  const after = await effects(project);
  for (const name of new Set(after)) {
    const times = after.filter((each) => each === name).length;
    if (times > (open.includes(name) ? 2 : 1)) wrong.push(`${name} ran ${String(times)} times`);
  }
  if (new Set(after).size !== Object.keys(WORKFLOW).length) wrong.push(`only ${after.join()} ran`);
  return wrong;
}

function statesOf(state: string): readonly string[] {
  const { agents } = JSON.parse(state) as { agents: readonly { current_state: string }[] };
  return agents.map(({ current_state }) => current_state);
}

async function effects(project: Project): Promise<readonly string[]> {
  const text = await project.read("effects").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/**
 * A run stores its launch folder, so a copy needs the new path. It also needs another token: a resume kills
 * processes with its token, and would kill those of other copies.
 */
async function copy(from: Project, to: Project): Promise<void> {
  await cp(from.dir, to.dir, { recursive: true });
  const moved = (await from.read(STATE)).replaceAll(from.dir, to.dir);
  const token = /"token": "([^"]+)"/.exec(moved)?.[1];
  if (token === undefined) throw new Error("The state file has no token");
  await to.write(STATE, moved.replaceAll(token, randomUUID()));
}

function raymond(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const options = { cwd: project.dir, env: { ...project.env, ...env }, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, [CHAOS_MAIN, ...args], options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : (error.code ?? null), stdout, stderr });
    });
  });
}
