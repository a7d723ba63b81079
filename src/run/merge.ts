import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { callerGit } from "../inspect/files/run-files.ts";
import { isJsonObject, parseJson } from "../language/basics/json-object.ts";
import type { Caller } from "../wire/caller.ts";
import { runsOf } from "../wire/stores.ts";
import { commitWork } from "../workspaces/commit-work.ts";
import { workspaceErrors } from "../workspaces/errors.ts";
import { continueMerge, type MergeResult, mergeBranches } from "../workspaces/merge-branches.ts";
import { findRepository } from "../workspaces/repository.ts";
import { workspaceRunErrors } from "./workspace-errors.ts";

export interface MergeOptions {
  readonly branches: readonly string[];
  /** Adds the branches in the payload of a join, in the environment of a script. */
  readonly joined?: boolean | undefined;
  /** Commits uncommitted files first. */
  readonly commit?: boolean | undefined;
  /** Continues after a conflict. */
  readonly continue?: boolean | undefined;
}

/**
 * Merges branches into the branch that is checked out in the current folder, until one has a conflict. Rejects with a
 * RaymondError.
 */
export async function merge(options: MergeOptions, caller: Caller): Promise<MergeResult> {
  const git = await callerGit(caller);
  const repository = await findRepository(caller.cwd, git);
  if (repository === null) throw workspaceErrors["workspace/no-repository"](caller.cwd);
  if (options.continue === true) return continueMerge(repository, git);
  const joined = options.joined === true ? await joinedBranches(caller) : [];
  if (options.commit === true) {
    const own = await mkdtemp(path.join(tmpdir(), "raymond-git-"));
    try {
      const { root } = await runsOf({}, caller);
      const place = { own, without: [root] };
      const work = await commitWork("raymond: files before the merge", repository, place, git);
      if (work.kind === "left")
        throw workspaceErrors["workspace/uncommitted"](repository.top, work.reason);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }
  return mergeBranches([...options.branches, ...joined], repository, git);
}

/** The branches in the payload of a join (docs/protocol.md, "Joins"), in its order. */
async function joinedBranches({ env }: Caller): Promise<readonly string[]> {
  const file = env["RAYMOND_RESULT_FILE"];
  const text =
    file === undefined
      ? (env["RAYMOND_RESULT"] ?? "")
      : await readFile(file, "utf8").catch(() => "");
  const items = parseJson(text);
  if (!Array.isArray(items)) throw workspaceRunErrors["run/no-join"]();
  return items.flatMap((item) => {
    const branch = isJsonObject(item) ? item["branch"] : null;
    return typeof branch === "string" ? branch : [];
  });
}
