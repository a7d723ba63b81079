import { existsSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { FoundPlaces, Worktrees } from "../engine/ports/worktrees.ts";
import { pathInside } from "../files/paths.ts";
import type { RunId } from "../machine/model/run-state.ts";
import type { AgentWorktree, ClosingWorktree, WorktreeEnd } from "../machine/model/worktree.ts";
import { commitFiles, commitWork } from "./commit-work.ts";
import { copyFiles } from "./copy-files.ts";
import { workspaceErrors } from "./errors.ts";
import { commitOf, headOf } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { refOf } from "./refs.ts";
import { findRepository, inCommon, inTree, type Repository } from "./repository.ts";
import { type RepositoryGuard, requireWorktreeOf } from "./repository-guard.ts";
import { treeName } from "./run-snapshots.ts";
import { makeWorktreesFolder } from "./state-folder.ts";
import {
  addWorktree,
  createBranch,
  discardFolder,
  rebuildWorktree,
  requireFree,
  worktreesFolder,
} from "./worktree.ts";

export interface AgentWorktreesOptions {
  readonly git: Git;
  /** A folder of raymond for its git directories: no step may write to it. */
  readonly folder: string;
  /** The folder of raymond for data of the user. */
  readonly stateFolder: string;
  /** Folders whose files no agent gets. */
  readonly without: readonly string[];
  /** Knows the repositories of the run. */
  readonly guard?: RepositoryGuard;
}

/*
 * Every change of git can be interrupted by a crash. Refs of the run record how far it came:
 *
 * started/NAME  set before the branch is created: raymond did not create a branch without it
 * made/NAME     the worktree is complete. Before, no step has worked in it, and it can be created again
 * ended/NAME    all files are committed: the commit. The worktree can be removed
 */
const STAGES = ["started", "made", "ended"] as const;
type Stage = (typeof STAGES)[number];

/** Worktrees of the agents of a run, one call at a time. */
export class AgentWorktrees implements Worktrees {
  readonly #options: AgentWorktreesOptions;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: AgentWorktreesOptions) {
    this.#options = options;
  }

  place(run: RunId, cwd: string, folders: readonly string[]): Promise<FoundPlaces> {
    return this.#alone(() => this.#place(run, cwd, folders));
  }

  ensure(run: RunId, worktree: AgentWorktree, cwd: string): Promise<void> {
    return this.#alone(async () => {
      await this.#ensure(run, worktree);
      // Git has no empty folders.
      await mkdir(cwd, { recursive: true });
    });
  }

  end(run: RunId, worktree: ClosingWorktree): Promise<WorktreeEnd> {
    return this.#alone(async () => {
      try {
        return await this.#end(run, worktree);
      } catch (error) {
        const kept = error instanceof Error ? error.message : String(error);
        return { branch: worktree.branch, kept };
      }
    });
  }

  async #place(run: RunId, cwd: string, folders: readonly string[]): Promise<FoundPlaces> {
    const { git, folder, stateFolder, without, guard } = this.#options;
    guard?.check(cwd);
    const found = await findRepository(cwd, git);
    if (found === null) throw workspaceErrors["workspace/no-repository"](cwd);
    const { top, commonDir: repository } = found;
    const { head } = await headOf({ git, repository: found });
    if (head === null) throw workspaceErrors["workspace/no-commit"](top);
    const message = `raymond: uncommitted files of run ${run}`;
    const own = { own: path.join(folder, "commit"), without };
    const made = await commitFiles(message, head, found, own, git);
    if (made.kind === "left") throw workspaceErrors["workspace/uncommitted"](top, made.reason);
    const { commit: base } = made;
    // Git would delete it at its next collection.
    if (base !== head)
      await setRef(refOf(run, `start/${base.slice(0, 12)}`), base, repository, git);
    const parent = worktreesFolder(found, stateFolder);
    await makeWorktreesFolder(parent);
    const place = { repository, parent: await realpath(parent), base, inside: "" } as const;
    const inside = await placesIn(top, folders);
    const open = { origin: top, copy: [], setup: null } as const;
    return { place: { ...place, ...open }, inside, branches: await branchesOf(repository, git) };
  }

  async #ensure(run: RunId, worktree: AgentWorktree): Promise<void> {
    const { git, stateFolder } = this.#options;
    const { folder, branch, base, repository } = worktree;
    const stage = await stageOf(run, worktree, git);
    if (stage === "made" && existsSync(path.join(folder, ".git"))) return;
    const own = path.join(this.#options.folder, treeName(folder));
    if (stage !== "started" && stage !== null) {
      const from = { own, base, stateFolder, ref: refOf(run, treeName(folder)) };
      await rebuildWorktree({ run, folder, branch }, from, bareRepository(worktree), git);
      await copyFiles(worktree.copy, { from: worktree.origin, to: folder }, git);
      return;
    }
    if (stage === null) {
      await requireFree(worktree, repository, git);
      await setRef(refIn(run, worktree, "started"), base, repository, git);
    }
    await discardFolder(folder, repository, stateFolder, git);
    if ((await commitOf(`refs/heads/${branch}`, repository, git)) === null)
      await createBranch(branch, base, repository, git);
    await addWorktree({ run, folder, branch, snapshot: null }, { own }, repository, git);
    await copyFiles(worktree.copy, { from: worktree.origin, to: folder }, git);
    await setRef(refIn(run, worktree, "made"), base, repository, git);
  }

  async #end(run: RunId, worktree: ClosingWorktree): Promise<WorktreeEnd> {
    const { git, stateFolder } = this.#options;
    const { agent, folder, branch, base, repository } = worktree;
    const ended = refIn(run, worktree, "ended");
    let commit = await commitOf(ended, repository, git);
    if (commit === null) {
      await this.#ensure(run, worktree);
      const made = await findRepository(folder, git);
      if (made === null) throw workspaceErrors["workspace/no-repository"](folder);
      requireWorktreeOf(repository, made);
      await attach(worktree, made, git);
      const message = `raymond: files of agent ${agent} of run ${run}`;
      const own = path.join(this.#options.folder, "commit");
      const work = await commitWork(message, made, { own }, git);
      const { head, branch: current } = await headOf({ git, repository: made });
      const reason = work.kind === "left" ? work.reason : skippedReason(work.skipped);
      const name = head === base && reason === null ? null : (current ?? branch);
      if (reason !== null || current !== branch || head === null)
        return { branch: name, kept: reason ?? `the agent works on the branch ${String(current)}` };
      await setRef(ended, head, repository, git);
      commit = head;
    }
    await discardFolder(folder, repository, stateFolder, git);
    if (commit !== base) return { branch, kept: null };
    // With its old value: a branch that has moved meanwhile remains.
    await git.try(["update-ref", "-d", `refs/heads/${branch}`, base], inCommon(repository));
    return { branch: null, kept: null };
  }

  #alone<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(act);
    this.#tail = mine.catch(() => undefined);
    return mine;
  }
}

/** Of a worktree that does not exist. */
function bareRepository({ repository }: AgentWorktree): Repository {
  return { top: repository, gitDir: repository, commonDir: repository };
}

/** The last stage of a worktree; null: nothing was created. */
async function stageOf(run: RunId, worktree: AgentWorktree, git: Git): Promise<Stage | null> {
  for (const stage of STAGES.toReversed()) {
    const ref = refIn(run, worktree, stage);
    if ((await commitOf(ref, worktree.repository, git)) !== null) return stage;
  }
  return null;
}

function refIn(run: RunId, { folder }: AgentWorktree, stage: Stage): string {
  return refOf(run, `${stage}/${path.basename(folder)}`);
}

async function setRef(ref: string, commit: string, commonDir: string, git: Git): Promise<void> {
  await git.run(["update-ref", "--no-deref", ref, commit], inCommon(commonDir));
}

/** The places of folders in their working tree. Others are omitted. */
async function placesIn(
  top: string,
  folders: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const inside = pathInside(top, await realpath(folder).catch(() => folder));
      return inside === null ? [] : [[folder, inside] as const];
    }),
  );
  return new Map(found.flat());
}

async function branchesOf(commonDir: string, git: Git): Promise<ReadonlySet<string>> {
  const args = ["for-each-ref", "--format=%(refname)", "refs/heads/raymond/"];
  const listed = await git.run(args, inCommon(commonDir));
  return new Set(listed.split("\n").map((name) => name.replace("refs/heads/", "")));
}

/** An agent may have deleted its branch, or checked out a commit of it: its commits get their branch back. */
async function attach(
  { branch, base }: AgentWorktree,
  repository: Repository,
  git: Git,
): Promise<void> {
  const { commonDir } = repository;
  const call = inTree(repository);
  const name = `refs/heads/${branch}`;
  const current = await git.try(["symbolic-ref", "--quiet", "HEAD"], call);
  const tip = await commitOf(name, commonDir, git);
  if (current.ok) {
    if (current.output === name && tip === null) await createBranch(branch, base, commonDir, git);
    return;
  }
  const { head } = await headOf({ git, repository });
  if (head === null) return;
  const isAfter =
    tip === null || (await git.try(["merge-base", "--is-ancestor", tip, head], call)).ok;
  if (!isAfter) return;
  await git.run(["update-ref", "-m", "raymond: attach", name, head, tip ?? ""], call);
  await git.run(["symbolic-ref", "-m", "raymond: attach", "HEAD", name], call);
}

function skippedReason(skipped: readonly string[]): string | null {
  if (skipped.length === 0) return null;
  const names = skipped.map((name) => Buffer.from(name, "latin1").toString("utf8"));
  return `files in it are in no commit: ${names.slice(0, 3).join(", ")}`;
}
