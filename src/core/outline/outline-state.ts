import type { RaymondError } from "../errors.ts";
import type { StateName } from "../protocol/transition.ts";
import { PlacedError } from "../workflow/errors.ts";
import type { Platform } from "../workflow/platform.ts";
import type { FileProblem, PromptFile, StateFile } from "../workflow/state-file.ts";
import { stateProblem } from "../workflow/state-problem.ts";
import { placeholdersIn } from "../workflow/template.ts";
import { declaredMoves } from "./declared-moves.ts";
import { mentionedMoves } from "./mentioned-moves.ts";
import type { OutlinedState, PlacedName, ReadState } from "./outline.ts";
import { placesIn } from "./places.ts";

/** A state as it was loaded, or why it could not be. */
export type LoadedState = { readonly name: StateName; readonly source: string } & (
  | { readonly file: StateFile }
  | { readonly error: RaymondError }
);

/** What a state says of itself and of its ways on, among the states of these names. */
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

/** The same of one that could be read. */
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

/** What is wrong with a file, without the place that its message names. */
export function problemOf(error: RaymondError): FileProblem {
  const hint = error.hint ?? "";
  if (!(error instanceof PlacedError)) {
    return { at: { line: 1, column: 1 }, message: error.message, hint };
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
    placeholdersIn(file.body).map(({ name, offset }) => [name, { name, at: placeOf(offset) }]),
  );
  for (const { input = "", at } of file.rules ?? []) {
    for (const { name } of placeholdersIn(input)) {
      if (!found.has(name)) found.set(name, { name, at });
    }
  }
  return [...found.values()];
}
