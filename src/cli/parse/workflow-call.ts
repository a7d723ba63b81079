import { shellWord } from "../../console/shell-word.ts";
import type { Manifest } from "../../language/workflow/files/manifest.ts";

/** The command that runs a workflow, with its required options. */
export function callOf(workflow: string, { input, vars }: Manifest): string {
  const given = vars.filter(({ required }) => required).map(({ name }) => `--var ${name}=…`);
  const asked = input?.required === true ? ["--input TEXT"] : [];
  return ["raymond", shellWord(workflow), ...asked, ...given].join(" ");
}
