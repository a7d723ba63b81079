import { shellWord } from "../../console/shell-word.ts";

/** Where the snapshots of a run lie at its remote: one ref for each taking, by its epoch, and `main` for people. `*`: all. */
export function refOf(run: string, name: "main" | "*" | number = "main"): string {
  return `refs/raymond/${run}/${String(name)}`;
}

/** The run that a ref is of; null of any other ref. */
export function readRef(ref: string): string | null {
  return /^refs\/raymond\/([^/]+)\/[^/]+$/.exec(ref)?.[1] ?? null;
}

/** The command that fetches what a run has made. */
export function fetchCommand(run: string, repository: string): string {
  return `git fetch ${shellWord(repository)} ${refOf(run)}`;
}
