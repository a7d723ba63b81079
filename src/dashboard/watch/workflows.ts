import { readdir } from "node:fs/promises";
import path from "node:path";
import { RaymondError } from "../../language/basics/errors.ts";
import { describeWorkflow } from "../../wire/workflow.ts";
import type { WorkflowsJson } from "../api.ts";
import type { ServedFolder } from "../server/served-folder.ts";

/** The workflows in the start folder and in its subfolder `workflows`. */
export async function workflowsIn({ caller }: ServedFolder): Promise<WorkflowsJson["workflows"]> {
  const { cwd } = caller;
  const names = await Promise.all(["", "workflows"].map((folder) => namesIn(cwd, folder)));
  const found = await Promise.all(
    names
      .flat()
      .slice(0, MAX_ENTRIES)
      .map(async (name) => {
        try {
          const { manifest } = await describeWorkflow(path.join(cwd, name), caller);
          return [{ path: name, about: manifest.description }];
        } catch (error) {
          // Most folders are not workflows.
          if (error instanceof RaymondError) return [];
          throw error;
        }
      }),
  );
  return found.flat();
}

/** Entries to check. */
const MAX_ENTRIES = 300;

async function namesIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .filter((entry) => entry.isDirectory() || /(?<!\.test|\.sim)\.(?:zip|ya?ml)$/.test(entry.name))
    .map(({ name }) => path.join(folder, name))
    .toSorted();
}
