import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { OrphanProcesses } from "../engine/ports/orphans.ts";
import type { ProcessCall, ProcessEnd, StartProcess } from "../engine/ports/process.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { programOnPath } from "./find-program.ts";
import {
  CONTAINER_PROGRAMS,
  type ContainerProgram,
  containerName,
} from "./sandbox/container-args.ts";
import { recordFile, recordFiles, type StepFilter } from "./step-records.ts";

/*
 * The containers of a run's steps, one small file per running container. docker only asks a daemon:
 * the container survives the process that raymond has started.
 * C1  The file exists from before the start until the container is known to be removed.
 * C2  A file names only podman or docker. The name of the container follows from the step.
 */

/** Wraps `start` so that containers are recorded, and removed when their process was ended. */
export function recordContainers(start: StartProcess, groups: string): StartProcess {
  return (call) => {
    const { container: program } = call;
    if (program === undefined) return start(call);
    const file = recordFile(folderBeside(groups), call.token);
    write(file, program);
    const running = start(call);
    return { ...running, done: running.done.then((end) => finish(end, call, program, file)) };
  };
}

async function finish(
  end: ProcessEnd,
  { token, env }: ProcessCall,
  program: ContainerProgram,
  file: string,
): Promise<ProcessEnd> {
  const problem = isRemoved(end) ? null : await remove(program, containerName(token), env);
  if (problem === null) {
    fs.rmSync(file, { force: true });
    return end;
  }
  const survivors = end.survivors === undefined ? problem : `${end.survivors} ${problem}`;
  return { ...end, survivors };
}

/** The program waits for the removal, unless it was ended or has lost its container (125). */
function isRemoved({ spawnError, endedByRaymond, exitCode }: ProcessEnd): boolean {
  return spawnError !== null || (!endedByRaymond && exitCode !== null && exitCode !== 125);
}

/** Also removes the containers of steps that are recorded beside `groups`. */
export function withContainers(
  orphans: OrphanProcesses,
  groups: string,
  epoch: number | null,
): OrphanProcesses {
  const add = async (
    cleanup: ReturnType<OrphanProcesses["end"]>,
    which: StepFilter,
    run: string,
  ) => {
    const done = await cleanup;
    const warnings = await removeRecorded(groups, which, run);
    return warnings.length === 0 ? done : { ...done, warnings };
  };
  return {
    find: (runToken) => orphans.find(runToken),
    end: (runToken) => add(orphans.end(runToken), { epoch }, runToken),
    endStep: (token) => add(orphans.endStep(token), { token }, token.slice(0, token.indexOf("."))),
  };
}

/** Returns why containers could not be removed. */
async function removeRecorded(
  groups: string,
  which: StepFilter,
  runToken: string,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const file of recordFiles(folderBeside(groups), which)) {
    const text = await readTextFile(file, LIMITS.small).catch(() => "");
    const program = CONTAINER_PROGRAMS.find((each) => each === text.trim());
    if (program === undefined) continue;
    const step = file.slice(dirname(file).length + 1);
    const problem = await remove(program, containerName(`${runToken}.${step}`), process.env);
    if (problem === null) fs.rmSync(file, { force: true });
    else problems.push(problem);
  }
  return problems;
}

/** Null if the container does not exist any more, else a warning. */
async function remove(
  program: ContainerProgram,
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const path = programOnPath(program, env["PATH"]);
  // podman gives a container ten seconds to end by default.
  const args = ["rm", "--force", ...(program === "podman" ? ["--time=0"] : []), name];
  const advice = `The container ${name} may still be running. Remove it with: ${program} rm --force ${name}`;
  if (path === null) return `${program} is not on PATH any more. ${advice}`;
  return new Promise((settle) => {
    execFile(path, args, { env, timeout: REMOVE_MS }, (error, _stdout, stderr) => {
      const isGone = error === null || /no such container|no container with/i.test(stderr);
      settle(isGone ? null : `${program} rm failed: ${stderr.trim() || error.message}. ${advice}`);
    });
  });
}

/** Time for the removal of a container, ms. */
const REMOVE_MS = 30_000;

/** Write errors are ignored: the next save reports a full disk. */
function write(file: string, program: ContainerProgram): void {
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, `${program}\n`, { mode: 0o600 });
  } catch {
    // Its processes carry the token of the step.
  }
}

function folderBeside(groups: string): string {
  return join(dirname(groups), "containers");
}
