import type { RaymondError } from "../basics/errors.ts";
import { TOP } from "../basics/place.ts";
import type { StateName } from "../protocol/transition.ts";
import { PlacedError } from "../workflow/errors.ts";
import type { Platform } from "../workflow/files/platform.ts";
import type { FileProblem, PromptFile, StateFile } from "../workflow/files/state-file.ts";
import { stateProblem } from "../workflow/state-problem.ts";
import { placeholdersIn } from "../workflow/template.ts";
import { declaredMoves } from "./declared-moves.ts";
import { mentionedMoves } from "./mentioned-moves.ts";
import { type OutlinedState, type PlacedName, placesIn, type ReadState } from "./outline.ts";

export type LoadedState = { readonly name: StateName; readonly source: string } & (
  | { readonly file: StateFile }
  | { readonly error: RaymondError }
);

export function outlineState(
  loaded: LoadedState,
  names: readonly StateName[],
  platform: Platform,
): OutlinedState {
  const { name, source } = loaded;
  return "error" in loaded
    ? {
        ok: false,
        name,
        source,
        problem: problemOf(loaded.error),
        further: furtherOf(loaded.error),
      }
    : outlineFile(loaded.file, source, names, platform);
}

export function outlineFile(
  file: StateFile,
  source: string,
  names: readonly StateName[],
  platform: Platform,
): ReadState {
  return {
    ok: true,
    name: file.name,
    source,
    file,
    moves: [...declaredMoves(file, names, platform), ...mentionedMoves(file, names, platform)],
    placeholders: file.kind === "prompt" ? placeholdersOf(file) : [],
    problem: stateProblem(file, names, platform),
  };
}

/** All problems of a file. */
export function problemsOf(error: RaymondError): readonly [FileProblem, ...FileProblem[]] {
  return [problemOf(error), ...furtherOf(error)];
}

/** The problem of a file, without the position in its message. */
export function problemOf(error: RaymondError): FileProblem {
  const hint = error.hint ?? "";
  if (!(error instanceof PlacedError)) {
    return { at: TOP, message: error.message, hint };
  }
  const { line, column, problem: message } = error;
  return { at: { line, column }, message, hint };
}

function furtherOf(error: RaymondError): readonly FileProblem[] {
  return error instanceof PlacedError ? error.further.map(problemOf) : [];
}

function placeholdersOf(file: PromptFile): readonly PlacedName[] {
  const placeOf = placesIn(file);
  const found = new Map(
    placeholdersIn(file.body).map(({ name, root, path, offset }) => [
      name,
      { name, root, path, at: placeOf(offset) },
    ]),
  );
  for (const { input = "", at } of file.rules ?? []) {
    for (const { name, root, path } of placeholdersIn(input)) {
      if (!found.has(name)) found.set(name, { name, root, path, at });
    }
  }
  return [...found.values()];
}
