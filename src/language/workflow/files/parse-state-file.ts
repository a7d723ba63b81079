import type { StateName } from "../../protocol/transition.ts";
import { parsePrompt } from "../front-matter.ts";
import { parseScript } from "../policy/directive.ts";
import type { StateFile } from "./state-file.ts";
import { extensionOf } from "./state-name.ts";

/**
 * Parses a state by its extension. `path`: its name in messages. Throws `InvalidFileError`.
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
