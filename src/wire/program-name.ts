import { shellWord } from "../console/shell-word.ts";

/** How the user calls raymond for the same runs. */
export function programName({ stateDir }: { readonly stateDir?: string | undefined }): string {
  if (stateDir === undefined) return "raymond";
  return `raymond --state-dir ${shellWord(stateDir)}`;
}
