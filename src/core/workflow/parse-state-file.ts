import type { StateName } from "../protocol/transition.ts";
import { parseScript } from "./directive.ts";
import { parsePrompt } from "./front-matter.ts";
import type { StateFile } from "./state-file.ts";
import { extensionOf } from "./state-name.ts";

/**
 * Reads the text of a state by its extension. Throws `BadFrontMatterError` for
 * a prompt and `BadDirectiveError` for a script that cannot be read.
 */
export function parseStateFile(name: StateName, text: string): StateFile {
  switch (extensionOf(name)) {
    case ".md":
      return parsePrompt(name, text);
    case ".sh":
    case ".bat":
      return parseScript(name, text);
    case null:
      throw new Error(`${name} is not the name of a state file`);
  }
}
