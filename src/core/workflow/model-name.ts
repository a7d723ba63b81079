import { nearest } from "../nearest.ts";
import type { Position } from "../place.ts";
import { quoted } from "./quote.ts";
import type { FileWarning } from "./state-file.ts";

/** The aliases of the client. Ids of models have digits or dashes, and are left to it. */
const ALIASES = ["default", "best", "opus", "sonnet", "haiku", "opusplan", "fable", "mythos"];

/** A warning where a model is none of the aliases and near to one; none for an id of a model. */
export function misspelledModel(model: string, at: Position): readonly FileWarning[] {
  const word = model.trim();
  if (!/^[A-Za-z]+$/.test(word) || ALIASES.includes(word)) return [];
  const guess = nearest(word, ALIASES);
  if (guess === null) return [];
  const message = `The model ${quoted(word)} is not known; did you mean ${guess}?`;
  return [{ line: at.line, message, rule: "RAY604" }];
}
