import { RaymondError } from "../../language/basics/errors.ts";
import type { Clone } from "./clone.ts";

/**
 * Puts all files that git does not ignore into an index, but for repositories inside that have no commit yet:
 * git refuses those, and everything with them, and what lies in such a repository does not travel anyway.
 */
export async function addAll(
  git: Clone["git"],
  call: Parameters<Clone["git"]>[1],
  settings: readonly string[],
): Promise<void> {
  const without: string[] = [];
  for (;;) {
    const but = without.map((folder) => `:(exclude,top,literal)${folder}`);
    try {
      await git([...settings, "add", "--all", "--", ".", ...but], call);
      return;
    } catch (error) {
      const found = error instanceof RaymondError ? UNBORN.exec(error.message)?.[1] : undefined;
      if (found === undefined || without.includes(found)) throw error;
      without.push(found);
    }
  }
}

const UNBORN = /error: '(.+?)\/?' does not have a commit checked out/;
