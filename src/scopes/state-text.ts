import { extensionOf } from "../core/workflow/state-name.ts";
import { UnreadableStateError } from "./errors.ts";

/**
 * The text of a state file. Prompts must be UTF-8, or an {@link UnreadableStateError}
 * says so; scripts are for their own interpreter, in whatever encoding.
 */
export function decodeState(bytes: Uint8Array, file: string): string {
  if (extensionOf(file) !== ".md") {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UnreadableStateError(file, "is not UTF-8 text", "Save it as UTF-8.", error);
  }
}
