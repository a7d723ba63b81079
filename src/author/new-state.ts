import { writeFile } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../language/basics/error-code.ts";
import { windowsNameProblem } from "../language/basics/windows-name.ts";
import { newState } from "../language/workflow/files/new-state.ts";
import { extensionOf, stateNameProblem, stemOf } from "../language/workflow/files/state-name.ts";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { statesIn } from "../wire/workflow.ts";
import { authorErrors } from "./errors.ts";
import { yamlSchemaLine } from "./schema-place.ts";

export interface NewState {
  /** Absolute. */
  readonly file: string;
  readonly name: string;
  /** Targets that do not exist yet. */
  readonly missing: readonly string[];
}

/**
 * Writes a new state, a prompt or (by its extension) a script, into the folder of a workflow or an
 * empty folder. `schemas`: folder of the shipped schemas. Rejects with a RaymondError.
 */
export async function writeNewState(
  wanted: { readonly name: string; readonly folder: string; readonly targets: readonly string[] },
  schemas: string,
  { cwd }: Pick<Caller, "cwd">,
): Promise<NewState> {
  const folder = path.resolve(cwd, wanted.folder);
  const name = extensionOf(wanted.name) === null ? `${wanted.name}.md` : wanted.name;
  for (const each of [name, ...wanted.targets]) {
    if (!isGoodName(each)) throw authorErrors["workflow/bad-state-name"](each);
  }
  if (hasOtherEnding(wanted.name)) throw authorErrors["workflow/bad-state-name"](wanted.name);
  const states = await statesIn(folder);
  if (states === null) throw authorErrors["workflow/none-here"](folder);
  const taken = states.find((state) => sameState(state, name));
  if (taken !== undefined) throw authorErrors["workflow/state-taken"](name, taken);
  const file = path.join(folder, name);
  const schema = yamlSchemaLine(schemas, "front-matter", file);
  await orDiskError("write", file, () => writeNew(file, newState(name, wanted.targets, schema)));
  const known = [...states, name];
  const isThere = (target: string) =>
    known.some((state) => state === target || stemOf(state) === target);
  return { file, name, missing: wanted.targets.filter((target) => !isThere(target)) };
}

/** Stricter than the language: the name is used unquoted in rules, tags and scripts. */
function isGoodName(name: string): boolean {
  return (
    /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name) &&
    stateNameProblem(name) === null &&
    windowsNameProblem(name) === null
  );
}

/** `X.exe` and `X.MD` would be prompts named X.exe.md and X.MD.md, which is not intended. */
function hasOtherEnding(name: string): boolean {
  return extensionOf(name) === null && /\.\p{L}\w*$/u.test(name);
}

/** Whether two files would be the same state. The scripts of one state for two platforms are allowed. */
function sameState(one: string, other: string): boolean {
  if (stemOf(one).toLowerCase() !== stemOf(other).toLowerCase()) return false;
  const isUnix = [one, other].map((name) => name.endsWith(".sh"));
  const isPrompt = [one, other].some((name) => name.endsWith(".md"));
  return isPrompt || isUnix[0] === isUnix[1] || stemOf(one) !== stemOf(other);
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    throw authorErrors["workflow/state-taken"](path.basename(file), path.basename(file));
  }
}
