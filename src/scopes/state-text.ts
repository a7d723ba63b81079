import { extensionOf } from "../language/workflow/files/state-name.ts";
import { scopeErrors } from "./errors.ts";

/** Decodes a state file. Prompts must be UTF-8; scripts may have any encoding. */
export function decodeState(bytes: Uint8Array, file: string): string {
  if (extensionOf(file) === ".md") return decodeUtf8(bytes, file);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Throws `workflow/unreadable-state` for other encodings. Keeps a byte order mark. */
export function decodeUtf8(bytes: Uint8Array, file: string): string {
  const fail = (error?: unknown) => {
    const [problem, hint] = ["is not UTF-8 text", "Save it as UTF-8."] as const;
    return scopeErrors["workflow/unreadable-state"](file, problem, hint, error);
  };
  // UTF-16 without a byte order mark is valid UTF-8 with NUL characters, in which no front matter is found.
  if (bytes.includes(0)) throw fail();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw fail(error);
  }
}
