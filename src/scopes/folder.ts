import { readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import { UnknownStateError } from "../core/workflow/errors.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import { UnreadableStateError } from "./errors.ts";
import type { Scope } from "./scope.ts";

/** A workflow as a folder. `dir` is absolute. Links are followed as far as they stay inside. */
export function folderScope(dir: string): Scope {
  const names = async (): Promise<readonly StateName[]> => {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && extensionOf(entry.name) !== null)
      .map((entry) => entry.name)
      .sort();
  };
  return {
    dir,
    names,
    path: (name) => path.join(dir, name),
    read: async (name) => {
      const listed = await names();
      if (!listed.includes(name)) throw new UnknownStateError(name, listed, null);
      const file = path.join(dir, name);
      try {
        await refuseLinkOut(dir, file);
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
      } catch (error) {
        throw unreadable(file, error);
      }
    },
  };
}

async function refuseLinkOut(dir: string, file: string): Promise<void> {
  const [folder, target] = await Promise.all([realpath(dir), realpath(file)]);
  if (path.dirname(target) === folder || target.startsWith(folder + path.sep)) return;
  const hint = "Copy the file into the folder: a workflow is one folder, so that it can be trusted and moved as one.";
  throw new UnreadableStateError(file, `it is a link that leads out of the workflow, to ${target}`, hint);
}

function unreadable(file: string, error: unknown): unknown {
  if (error instanceof TypeError) {
    return new UnreadableStateError(file, "it is not UTF-8 text", "Save it as UTF-8.", error);
  }
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return new UnreadableStateError(file, error.message, "Check the file and its permissions.", error);
  }
  return error;
}
