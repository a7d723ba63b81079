import { defineErrors } from "../language/basics/errors.ts";

/** Errors of git and of the folders that runs work in. */
export const workspaceErrors = defineErrors({
  "workspace/no-git": () => ({
    message: "git is required, and it is not on the PATH of this machine.",
    hint: "Install git (apt-get install git, brew install git). For a fleet, install it where you submit the run and on every machine of its pool.",
  }),
  "workspace/git-failed": (command: string, output: string) => ({
    message: `git ${command} failed: ${output}`,
    hint: gitHint(output),
  }),
  "workspace/unwritable": (folder: string, reason: string) => ({
    message: `Cannot create the folder of worktrees ${folder}: ${reason}.`,
    hint: "Make its parent folder writable for this user, or set XDG_STATE_HOME to a folder that is.",
  }),
  "workspace/repository-changed": (entry: string) => ({
    message: `${entry} no longer names the git directory that the run started with.`,
    hint: "A step has replaced it, or a file or link in it. Check it with: git rev-parse --git-dir --git-common-dir. If it is right, resume the run.",
  }),
  "workspace/bad-branch": (branch: string) => ({
    message: `Cannot create a worktree: "${branch}" is not the name of a branch.`,
    hint: "Choose another name, of letters, digits, - and _: --worktree NAME",
  }),
  "workspace/branch-exists": (branch: string) => ({
    message: `Cannot create a worktree: the branch ${branch} exists already.`,
    hint: `Choose another name with --worktree NAME, or delete the branch if it is not used: git branch -D ${branch}`,
  }),
  "workspace/worktree-exists": (folder: string) => ({
    message: `Cannot create a worktree: ${folder} exists already.`,
    hint: `Choose another name with --worktree NAME, or remove it: git worktree remove --force ${folder}`,
  }),
  "workspace/no-repository": (folder: string) => ({
    message: `Cannot use a worktree: ${folder} is not in a git repository with a working tree, or the repository ignores it.`,
    hint: "Run the workflow inside of a checkout, or without worktrees.",
  }),
  "workspace/no-commit": (folder: string) => ({
    message: `Cannot create a worktree: the repository ${folder} has no commit yet.`,
    hint: "Create a commit first: git add . && git commit -m first",
  }),
  "workspace/uncommitted": (folder: string, reason: string) => ({
    message: `Cannot start agents in worktrees with the uncommitted files in ${folder}: ${reason}.`,
    hint: "Commit these files before the fork: git commit -am files",
  }),
  "workspace/foreign-folder": (folder: string) => ({
    message: `Cannot replace the worktree ${folder}: it is not in the folder of raymond for worktrees.`,
    hint: "The state file was changed, or belongs to another user. Move the folder away yourself if it is not needed.",
  }),
  "workspace/copy-tracked": (file: string) => ({
    message: `Cannot copy ${file} into a worktree: git does not ignore it, so it would be committed.`,
    hint: "Add it to .gitignore, or remove it from copy in workflow.yaml.",
  }),
  "workspace/copy-link": (file: string) => ({
    message: `Cannot copy a file into a worktree: ${file} is a link, or not a file.`,
    hint: "Name a file in copy of workflow.yaml. Links are not followed.",
  }),
  "workspace/unknown-base": (base: string, folder: string) => ({
    message: `Cannot create a worktree: the repository of ${folder} has no commit ${base}.`,
    hint: "Correct base of worktree in workflow.yaml, or fetch the branch.",
  }),
  "workspace/unknown-branch": (branch: string, folder: string) => ({
    message: `Cannot merge "${branch}": the repository of ${folder} has no such branch.`,
    hint: "Name existing branches. List them with: git branch --list 'raymond/*'",
  }),
  "workspace/merging": (folder: string) => ({
    message: `Cannot merge in ${folder}: another merge is in progress.`,
    hint: "Resolve its conflicts and run: raymond merge --continue. Or discard it with: git merge --abort",
  }),
  "workspace/not-merging": (folder: string) => ({
    message: `Cannot continue a merge in ${folder}: no merge of raymond is in progress.`,
    hint: "Name the branches to merge: raymond merge BRANCH...",
  }),
  "workspace/merge-refused": (branch: string, folder: string, output: string) => ({
    message: `Cannot merge ${branch} in ${folder}: ${output}`,
    hint: "No file was changed. If uncommitted changes are in the way, commit them first, or add --commit-changes.",
  }),
  "workspace/fleet": () => ({
    message: "Agents of a run in a fleet cannot have worktrees.",
    hint: 'Remove worktree from the fork, its rule and workflow.yaml, or write worktree="false".',
  }),
  "workspace/files-in-the-way": (folder: string, output: string) => ({
    message: `Cannot restore the files in ${folder}: ${output}`,
    hint: "No file was changed. Move the named files away, or stop the program that changes them, and run the command again.",
  }),
  "workspace/git-interrupted": (command: string, signal: string) => ({
    message: `git ${command} was killed by ${signal}.`,
    hint: "Run the command again. If it is killed every time, check whether the machine runs out of memory.",
  }),
});

/** What to do after a failure of git, from its output. */
function gitHint(output: string): string {
  const safe = /dubious ownership in repository at '(.+?)'/.exec(output)?.[1];
  if (safe !== undefined)
    return `The repository belongs to another user, who could make git run programs. If you trust that user: git config --global --add safe.directory ${safe}`;
  const branch = /'refs\/heads\/([^']+)' exists; cannot create/.exec(output)?.[1];
  if (branch !== undefined)
    return `A branch of that name cannot exist beside the branch ${branch}. Rename the latter: git branch -m ${branch} NEW-NAME`;
  if (/smudge|lfs/i.test(output) && /download|smudge/i.test(output))
    return "raymond does not download files of git LFS. Download them first: git lfs fetch --all";
  if (/unable to read|lazy fetching disabled|missing blob/.test(output))
    return "The repository lacks objects, and raymond does not download those of a partial clone. Download them first: git fetch --refetch --filter=blob:limit=1g origin";
  // For a missing filter program of .gitattributes, git reports only a broken connection.
  if (/not found|cannot run/.test(output))
    return "Install the missing program on every machine that runs the workflow (git LFS, or another filter in .gitattributes).";
  return "Run the command by hand on this machine to see the cause.";
}
