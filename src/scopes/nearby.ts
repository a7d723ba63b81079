import { readdir } from "node:fs/promises";
import path from "node:path";
import { RaymondError } from "../core/errors.ts";
import { findEntry } from "../core/workflow/entry.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { listed } from "../core/workflow/quote.ts";
import { folderScope } from "./folder.ts";

/**
 * The workflows in a folder and in its `workflows`, as paths from it: folders
 * that have a state to start with. Never rejects.
 */
export async function workflowsNear(
  folder: string,
  platform: Platform,
): Promise<readonly string[]> {
  const here = await foldersIn(folder);
  const below = await foldersIn(path.join(folder, "workflows"));
  const places = [...here, ...below.map((name) => path.join("workflows", name))];
  const started = await Promise.all(
    places.slice(0, MOST).map((place) => hasEntry(path.join(folder, place), platform)),
  );
  return places.filter((_, index) => started[index] === true);
}

/** A folder may have thousands: nobody waits for all of them to be told what to type. */
const MOST = 500;

/** What to do next where no workflow was named: those of this folder, or the one that ships. */
export function nextHint(folder: string, workflows: readonly string[]): string {
  if (workflows.length === 0) {
    return `There is no workflow in ${folder}. To see one run: raymond tour`;
  }
  // A path that a shell would take apart is not shown as part of a command.
  const paths = workflows.map((workflow) => path.join(folder, workflow));
  const word = paths.find((place) => /^[\w./:\\-]+$/.test(place)) ?? "FOLDER";
  return `Workflows in ${folder}: ${listed(workflows)}. To run one: raymond ${word}`;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

async function hasEntry(folder: string, platform: Platform): Promise<boolean> {
  try {
    findEntry(await folderScope(folder).names(), platform, folder);
    return true;
  } catch (error) {
    if (error instanceof RaymondError) return false;
    throw error;
  }
}
