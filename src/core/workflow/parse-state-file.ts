import type { StateName } from "../protocol/transition.ts";
import { parseScript } from "./directive.ts";
import { parsePrompt } from "./front-matter.ts";
import type { StateFile } from "./state-file.ts";
import { extensionOf } from "./state-name.ts";

/**
 * Reads the text of a state by its extension; `path` is what messages call it. Throws `BadFrontMatterError` for
 * a prompt and `BadDirectiveError` for a script that cannot be read.
 */
export function parseStateFile(name: StateName, text: string, path: string = name): StateFile {
  switch (extensionOf(name)) {
    case ".md":
      return parsePrompt(name, text, path);
    case ".sh":
    case ".bat":
    case ".ps1":
      return parseScript(name, text, path);
    case null:
      throw new Error(`${name} is not the name of a state file`);
  }
}
