import { readdir } from "node:fs/promises";
import path from "node:path";
import { RaymondError } from "../language/basics/errors.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { findEntry } from "../language/workflow/policy/entry.ts";
import { listed } from "../language/workflow/quote.ts";
import { folderScope } from "./folder.ts";

/**
 * The workflows in a folder and in its `workflows` folder, as relative paths: folders with a first
 * state. Never rejects.
 */
export async function findWorkflowsIn(
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

/** Limits the time for folders with thousands of entries. */
const MOST = 500;

/** A hint for a missing workflow argument: the workflows of this folder, or the tour. */
export function nextHint(folder: string, workflows: readonly string[]): string {
  if (workflows.length === 0) {
    return `No workflow found in ${folder}. For a demonstration, run: raymond tour`;
  }
  // Paths that need shell quoting are not shown in a command.
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
