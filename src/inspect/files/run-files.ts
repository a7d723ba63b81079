import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Caller } from "../../wire/caller.ts";
import { inherited } from "../../wire/engine/inherited.ts";
import { isFolder } from "../../wire/system/system.ts";
import { type Git, gitBy } from "../../workspaces/git.ts";
import { openPlainGit, type PlainGit } from "../../workspaces/plain-git.ts";
import { findRepository } from "../../workspaces/repository.ts";
import { inspectErrors } from "../errors.ts";

/** Git as the user of this process. */
export async function callerGit(caller: Caller): Promise<Git> {
  const { processes } = await caller.system();
  return gitBy(processes.start, inherited(caller.env));
}

/**
 * Reads snapshots in the repository of the first of these folders that exists. No program of the repository runs.
 * Rejects with `run/no-repository`.
 */
export async function readingFiles<T>(
  folders: readonly string[],
  caller: Caller,
  act: (plain: PlainGit) => Promise<T>,
): Promise<T> {
  const git = await callerGit(caller);
  const place = folders.find(isFolder);
  const repository = place === undefined ? null : await findRepository(place, git);
  if (repository === null) throw inspectErrors["run/no-repository"](folders[0] ?? "");
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-git-"));
  try {
    return await act(await openPlainGit(repository, { folder }, git));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
