import { shellWord } from "../../observers/shell-word.ts";

/** Where the snapshots of a run lie at its remote: one ref for each taking, by its epoch, and `main` for people. */
export function refOf(run: string, name: "main" | number = "main"): string {
  return `refs/raymond/${run}/${String(name)}`;
}

/** The command that fetches what a run has made. */
export function fetchCommand(run: string, repository: string): string {
  return `git fetch ${shellWord(repository)} ${refOf(run)}`;
}
