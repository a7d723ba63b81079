import { RaymondError } from "../core/errors.ts";
import type { Caller } from "../runs/caller.ts";
import { type DetachOptions, detach } from "../runs/detach.ts";

/** How this raymond is called: a program and its first arguments. */
export type Program = readonly [command: string, ...args: readonly string[]];

/**
 * Starts a raymond of its own for a run, as `--detach` does: it outlives this one. Rejects with what it says where
 * the run does not begin.
 */
export async function launch(options: DetachOptions, caller: Caller): Promise<void> {
  const begun = await detach(options, caller);
  if (begun.outcome === "refused") throw new NotLaunchedError(begun.said.trim());
}

/** A raymond that was started could not do what it was started for: as it has said it. */
class NotLaunchedError extends RaymondError {
  override readonly name = "NotLaunchedError";
  readonly code: `${string}/${string}`;

  constructor(said: string) {
    const found = /^error: ([\s\S]*?) \[([a-z-]+\/[a-z-]+)\]$/m.exec(said);
    const hint = /^hint: ([\s\S]*)$/m.exec(said)?.[1]?.trim();
    const otherwise = said === "" ? "raymond could not be started." : said;
    super(found?.[1] ?? otherwise, hint === undefined ? {} : { hint });
    this.code = (found?.[2] ?? "run/not-launched") as `${string}/${string}`;
  }
}
