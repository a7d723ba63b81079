import { setTimeout as delay } from "node:timers/promises";
import { RaymondError } from "../../core/errors.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import { type DetachedEnd, startDetached } from "../../process/detached.ts";
import type { Caller } from "../caller.ts";
import { runWithId } from "./stores.ts";

/** How this raymond is called: a program and its first arguments. */
export type Program = readonly [command: string, ...args: readonly string[]];

/** A raymond that is to be started for a run. */
export interface Launch {
  readonly program: Program;
  /** Behind those of the program. */
  readonly args: readonly string[];
  /** The run that it starts, or goes on with, and the folder (`.raymond`) that has it. */
  readonly id: RunId;
  readonly root: string;
  /** Its standard input; null: it is empty. */
  readonly input: string | null;
}

/**
 * Starts a raymond of its own for a run, which outlives this one. Resolves once it has saved the run; rejects
 * with what it says where it ends before.
 */
export async function launchRun(
  { program: [command, ...first], args, id, root, input }: Launch,
  caller: Caller,
): Promise<void> {
  const saves = async (): Promise<number> => {
    const run = await (await runWithId(root, id, caller))?.store.load(id);
    return run?.saves ?? -1;
  };
  const before = await saves();
  const { cwd, env } = caller;
  let ended: DetachedEnd | null = null;
  const end = startDetached({ command, args: [...first, ...args], cwd, env, input }).then((how) => {
    ended = how;
  });
  const isOver = (): DetachedEnd | null => ended;
  for (const until = performance.now() + MOST_MS; performance.now() < until; ) {
    const over = isOver();
    // From here on the state file tells of it, whatever becomes of it.
    if ((await saves()) > before) return;
    if (over !== null) throw new NotLaunchedError(over.said);
    await Promise.race([end, delay(POLL_MS)]);
  }
}

/** A raymond that has not saved within so long is slow, and no error. */
const MOST_MS = 20_000;
const POLL_MS = 100;

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
