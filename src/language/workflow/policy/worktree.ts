import { stateNameProblem } from "../files/state-name.ts";
import { quoted } from "../quote.ts";
import { readFields, truth, truthOf } from "../yaml-fields.ts";
import type { ErrorAt, Tree } from "../yaml-tree.ts";

/** `worktree` of a workflow.yaml (docs/workspaces.md, "Preparing worktrees"). */
export interface DeclaredWorktree {
  /** Whether each agent that a state of the workflow forks gets a worktree. */
  readonly fork: boolean;
  /** The script that runs in a new worktree before the first step; null: none. */
  readonly setup: string | null;
  /** Files to copy from the working tree of the user or the forking agent, relative to its top. */
  readonly copy: readonly string[];
  /** The commit that the worktree of a run starts from; null: the one that is checked out. */
  readonly base: string | null;
}

export const NO_WORKTREE: DeclaredWorktree = { fork: false, setup: null, copy: [], base: null };

export function parseWorktree(tree: Tree, errorAt: ErrorAt, key: string): DeclaredWorktree {
  if (tree.kind === "map") {
    return { ...NO_WORKTREE, ...readFields(tree.entries, key, KEYS, errorAt) };
  }
  const fork = truthOf(tree);
  if (fork !== null) return { ...NO_WORKTREE, fork };
  throw errorAt(tree.at, `${key} must be true, false or a mapping.`, `Write ${key}: true`);
}

const KEYS = { fork: truth, setup: readSetup, copy: readFiles, base: readBase };

function readSetup(tree: Tree, key: string, errorAt: ErrorAt): string {
  const setup = textOf(tree, key, errorAt);
  const problem = stateNameProblem(setup);
  if (problem === null) return setup;
  throw errorAt(tree.at, `The setup ${problem}.`, "Name a script of this workflow.");
}

function readBase(tree: Tree, key: string, errorAt: ErrorAt): string {
  const base = textOf(tree, key, errorAt);
  if (REVISION.test(base)) return base;
  const problem = `${quoted(base)} is not a branch, tag or commit.`;
  throw errorAt(tree.at, problem, "Example: base: main");
}

function readFiles(tree: Tree, key: string, errorAt: ErrorAt): readonly string[] {
  const hint = "Example: copy: [.env.local]";
  if (tree.kind !== "list") throw errorAt(tree.at, `${key} must be a list of files.`, hint);
  return tree.items.map((item) => {
    const file = textOf(item, key, errorAt);
    if (isInside(file)) return file;
    const problem = `${key} names ${quoted(file)}, which is not the path of a file in the repository.`;
    throw errorAt(item.at, problem, hint);
  });
}

/** A path with `/` that cannot lead out of the repository, or into its git directory. */
function isInside(file: string): boolean {
  const parts = file.split("/");
  const isPart = (part: string) => !/^(?:|\.|\.\.|\.git)$/i.test(part);
  return parts.every(isPart) && !/[\\:\0]/.test(file);
}

const REVISION = /^[A-Za-z0-9][\w./-]*$/;

function textOf(tree: Tree, key: string, errorAt: ErrorAt): string {
  const text = tree.kind === "scalar" ? tree.text.trim() : "";
  if (text !== "") return text;
  throw errorAt(tree.at, `${key} must be a text.`, "Write a single value.");
}
