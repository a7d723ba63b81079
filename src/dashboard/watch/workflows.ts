import { readdir } from "node:fs/promises";
import path from "node:path";
import { onUserError } from "../../language/basics/errors.ts";
import { describeWorkflow } from "../../wire/workflow.ts";
import type { WorkflowsJson } from "../api.ts";
import type { ServedFolder } from "../server/served-folder.ts";

/** The workflows in the start folder and in its subfolder `workflows`. */
export async function workflowsIn({ caller }: ServedFolder): Promise<WorkflowsJson["workflows"]> {
  const { cwd } = caller;
  const names = await Promise.all(["", "workflows"].map((folder) => namesIn(cwd, folder)));
  const entries = names.flat().slice(0, MAX_ENTRIES);
  // Most folders are not workflows.
  const none = onUserError(() => []);
  const found = entries.map((name) =>
    describeWorkflow(path.join(cwd, name), caller)
      .then(({ manifest }) => [{ path: name, about: manifest.description }])
      .catch(none),
  );
  return (await Promise.all(found)).flat();
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
