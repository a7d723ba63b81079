import { RaymondError } from "../../../src/language/basics/errors.ts";
import { parsePrompt } from "../../../src/language/workflow/front-matter.ts";
import { printRules, ruleProblem } from "../../../src/language/workflow/policy/policy.ts";
import { renderTemplate } from "../../../src/language/workflow/template.ts";
import type { Target } from "../target.ts";

/** A prompt of a stranger: a prompt or a RaymondError, and nothing in it is run. */
export const frontMatterTarget: Target = {
  name: "front-matter",
  words: [
    ...["---\n", "---", "---js\n", "---javascript\n", "---json\n", "---toml\n", "--- \n", "...\n"],
    ...[
      "globalThis.ran = true",
      "!!js/function ",
      "!<tag:yaml.org,2002:js/eval> ",
      "!!str ",
      "!x ",
    ],
    ...[
      "allowed_transitions:\n",
      "  - { tag: goto, target: A }\n",
      "tag: fork",
      "next: N",
      "cd: .",
    ],
    ...["model: ", "effort: ", "timeout: ", "budget: ", "max_visits: ", "tools: ", "__proto__: "],
    ...["constructor: ", "&a ", "*a", "<<: *a\n", "? ", ": ", "- ", "[", "]", "{", "}", ",", "|\n"],
    ...[
      ">-\n",
      '"',
      "'",
      "\\u0000",
      "%YAML 1.2\n",
      "#",
      "\ufeff",
      "\r\n",
      "\t",
      "{{result}}",
      "{{",
    ],
  ],
  seeds: () => [],
  broken(input) {
    try {
      const { rules, body, warnings } = parsePrompt("START.md", input.toString());
      printRules(rules);
      ruleProblem(rules, ["START.md", "A.md", "N.sh"], "unix");
      renderTemplate(body, { result: "{{x}} @file", x: "1" });
      if (warnings.some(({ message }) => message.length > 1_000))
        return "A warning is a page long.";
    } catch (error) {
      if (!(error instanceof RaymondError)) throw error;
      if (error.message.length > 2_000) return "A message is a page long.";
    }
    return "ran" in globalThis ? "Code in the front matter was run." : null;
  },
};
