import { RaymondError } from "../../../src/language/basics/errors.ts";
import { parseSingleFile } from "../../../src/language/workflow/files/single-file.ts";
import type { Target } from "../target.ts";

/** A workflow in one file: read, or a RaymondError that names a line of it. */
export const singleFileTarget: Target = {
  name: "single-file",
  words: [
    ...["states:\n", "  START:\n", "  END:\n", "    prompt: |\n", "    sh: |\n", "    bat: x\n"],
    ...[
      "    ps1: x\n",
      '      echo "<result>x</result>"\n',
      "    retries: 3\n",
      "    on_error: END\n",
    ],
    ...["    allowed_transitions: [{ tag: result }]\n", "    max_context: 70%\n", "verify: END"],
    ...["name: x\n", "input: { required: true }\n", "vars: { a: { options: [x, y] } }\n"],
    ...["budget: 1\n", "notify: x\n", "- ", ": ", "? ", "&a ", "*a", "<<: ", "|2-\n", ">\n"],
    ...[
      "[",
      "]",
      "{",
      "}",
      '"',
      "'",
      "#",
      "\t",
      "\r\n",
      "---\n",
      "!!set ",
      "\ufeff",
      "\0",
      "__proto__: ",
    ],
  ],
  seeds: () => [],
  broken(input) {
    const text = input.toString();
    try {
      const { states } = parseSingleFile(text, "/w/flow.yaml");
      return states.size > 0 ? null : "It has no states.";
    } catch (error) {
      if (!(error instanceof RaymondError)) throw error;
      const [, line = ""] = /^\/w\/flow\.yaml:(\d+)/.exec(error.message) ?? [];
      const lines = text.split(/\r\n|\r|\n/).length;
      if (line === "" || Number(line) < 1 || Number(line) > lines) {
        return `It names no line of the file: ${error.message}`;
      }
      return error.message.length > 4_000 ? "A message is a page long." : null;
    }
  },
};
