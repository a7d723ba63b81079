import { extensionOf } from "../language/workflow/files/state-name.ts";
import { scopeErrors } from "./errors.ts";

/**
 * Decodes a state file. Prompts must be UTF-8 (`workflow/unreadable-state`); scripts may have any
 * encoding.
 */
export function decodeState(bytes: Uint8Array, file: string): string {
  if (extensionOf(file) !== ".md") {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw scopeErrors["workflow/unreadable-state"](
      file,
      "is not UTF-8 text",
      "Save it as UTF-8.",
      error,
    );
  }
}
