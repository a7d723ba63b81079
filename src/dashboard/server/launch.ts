import { RaymondError } from "../../language/basics/errors.ts";
import { type DetachOptions, detach } from "../../run/control/detach.ts";
import type { ServedFolder } from "./served-folder.ts";

/** The command that runs this raymond: a program and its first arguments. */
export type Program = readonly [command: string, ...args: readonly string[]];

/**
 * Starts a detached raymond for a run, as `--detach` does: it outlives this process. Rejects with its error if the
 * run does not start.
 */
export async function launch(
  { root, caller }: ServedFolder,
  { command, ...options }: Omit<DetachOptions, "stateDir">,
): Promise<void> {
  const all = [...command, "--state-dir", root, "--quiet", "--no-input"];
  const started = await detach({ ...options, stateDir: root, command: all }, caller);
  if (started.outcome === "refused") throw new NotLaunchedError(started.said.trim());
}

/** The error that the detached process printed, parsed back into code, message and hint. */
class NotLaunchedError extends RaymondError {
  override readonly name = "NotLaunchedError";
  readonly code: `${string}/${string}`;

  constructor(said: string) {
    const found = /^error: ([\s\S]*?) \[([a-z-]+\/[a-z-]+)\]$/m.exec(said);
    const hint = /^hint: ([\s\S]*)$/m.exec(said)?.[1]?.trim();
    const otherwise =
      said === "" ? "Cannot start the run: the raymond process ended without a message." : said;
    super(found?.[1] ?? otherwise, hint === undefined ? {} : { hint });
    this.code = (found?.[2] ?? "run/not-launched") as `${string}/${string}`;
  }
}
