import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import type { WorkflowKind } from "../../machine/model/run-state.ts";
import { simulationErrors } from "./errors.ts";
import type { Simulation } from "./scenario.ts";
import { parseSimulation } from "./script.ts";

const ENDING = ".sim.yaml";

/**
 * The path of a workflow's simulation: the only `*.sim.yaml` in its folder, or next to `flow.zip` the file
 * `flow.zip.sim.yaml` or `flow.sim.yaml`, or next to a single file `flow.yaml.sim.yaml`. Throws `simulation/not-found` or
 * `simulation/ambiguous`.
 */
export async function findSimulation(workflowPath: string, kind: WorkflowKind): Promise<string> {
  const full = basename(workflowPath) + ENDING;
  const stem = basename(workflowPath, extname(workflowPath)) + ENDING;
  switch (kind) {
    case "folder":
      return await inFolder(workflowPath);
    case "zip":
      return await nextTo(workflowPath, [full, stem]);
    case "yaml":
      return await nextTo(workflowPath, [full]);
  }
}

export async function loadSimulation(
  workflowPath: string,
  kind: WorkflowKind,
): Promise<Simulation> {
  const file = await findSimulation(workflowPath, kind);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.source),
    );
  } catch (error) {
    throw simulationErrors["simulation/unreadable"](file, error);
  }
  return parseSimulation(file, text);
}

async function inFolder(workflowPath: string): Promise<string> {
  const folder =
    (await stat(workflowPath).catch(() => null))?.isDirectory() === true
      ? workflowPath
      : dirname(workflowPath);
  const names = (await simulationsIn(folder)).filter((name) => !name.startsWith("."));
  const example = join(folder, `${basename(folder)}${ENDING}`);
  return only(workflowPath, [join(folder, `*${ENDING}`)], example, folder, names);
}

async function nextTo(workflowPath: string, wanted: readonly string[]): Promise<string> {
  const folder = dirname(workflowPath);
  const existing = await simulationsIn(folder);
  const sought = wanted.map((name) => join(folder, name));
  const names = existing.filter((name) => wanted.includes(name));
  return only(workflowPath, sought, sought[0] ?? "", folder, names);
}

function only(
  workflow: string,
  sought: readonly string[],
  example: string,
  folder: string,
  names: readonly string[],
): string {
  const files = names.map((name) => join(folder, name));
  const [file] = files;
  if (file === undefined) throw simulationErrors["simulation/not-found"](workflow, sought, example);
  if (files.length > 1) throw simulationErrors["simulation/ambiguous"](workflow, files);
  return file;
}

async function simulationsIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => name.endsWith(ENDING)).sort();
  } catch (error) {
    throw simulationErrors["simulation/unreadable"](folder, error);
  }
}
