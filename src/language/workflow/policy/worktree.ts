import { stateNameProblem } from "../files/state-name.ts";
import { quoted } from "../quote.ts";
import type { Entry, ErrorAt, Tree } from "../yaml-tree.ts";

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
  const isOn = truth(tree);
  if (isOn !== null) return { ...NO_WORKTREE, fork: isOn };
  if (tree.kind !== "map") {
    throw errorAt(tree.at, `${key} must be true, false or a mapping.`, `Write ${key}: true`);
  }
  const found: { -readonly [K in keyof DeclaredWorktree]: DeclaredWorktree[K] } = {
    ...NO_WORKTREE,
  };
  for (const entry of tree.entries) Object.assign(found, read(entry, errorAt));
  return found;
}

function read({ key, at, value }: Entry, errorAt: ErrorAt): Partial<DeclaredWorktree> {
  switch (key) {
    case "fork": {
      const fork = truth(value);
      if (fork === null) throw errorAt(value.at, "fork must be true or false.", "Write fork: true");
      return { fork };
    }
    case "setup": {
      const setup = textOf(value, key, errorAt);
      const problem = stateNameProblem(setup);
      if (problem === null) return { setup };
      throw errorAt(value.at, `The setup ${problem}.`, "Name a script of this workflow.");
    }
    case "copy":
      return { copy: readFiles(value, errorAt) };
    case "base": {
      const base = textOf(value, key, errorAt);
      if (REVISION.test(base)) return { base };
      throw errorAt(
        value.at,
        `${quoted(base)} is not a branch, tag or commit.`,
        "Example: base: main",
      );
    }
    default:
      throw errorAt(
        at,
        `Unknown key ${quoted(key)} of worktree.`,
        "Allowed keys: fork, setup, copy, base.",
      );
  }
}

function readFiles(tree: Tree, errorAt: ErrorAt): readonly string[] {
  const hint = "Example: copy: [.env.local]";
  if (tree.kind !== "list") throw errorAt(tree.at, "copy must be a list of files.", hint);
  return tree.items.map((item) => {
    const file = textOf(item, "copy", errorAt);
    if (isInside(file)) return file;
    const problem = `copy names ${quoted(file)}, which is not the path of a file in the repository.`;
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

function truth(tree: Tree): boolean | null {
  if (tree.kind !== "scalar" || tree.isText) return null;
  return tree.text === "true" ? true : tree.text === "false" ? false : null;
}

function textOf(tree: Tree, key: string, errorAt: ErrorAt): string {
  const text = tree.kind === "scalar" ? tree.text.trim() : "";
  if (text !== "") return text;
  throw errorAt(tree.at, `${key} must be a text.`, "Write a single value.");
}
