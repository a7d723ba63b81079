import type { Manifest } from "../core/workflow/manifest.ts";
import { shellWord } from "../observers/shell-word.ts";

/** The command that runs a workflow, with what must be given to it. */
export function callOf(workflow: string, { input, vars }: Manifest): string {
  const given = vars.filter(({ required }) => required).map(({ name }) => `--var ${name}=…`);
  const asked = input?.required === true ? ["--input TEXT"] : [];
  return ["raymond", shellWord(workflow), ...asked, ...given].join(" ");
}
