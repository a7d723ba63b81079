import { RaymondError } from "../../core/errors.ts";

/** There is no git on this machine. */
export class NoGitError extends RaymondError {
  override readonly name = "NoGitError";
  readonly code = "fleet/no-git";

  constructor() {
    super("There is no git on this machine's PATH, and --workspace git needs it.", {
      hint: "Install it (apt-get install git, brew install git): where the run is submitted, and on every machine of its pool.",
    });
  }
}

/** The current folder is in no repository. */
export class NotARepositoryError extends RaymondError {
  override readonly name = "NotARepositoryError";
  readonly code = "fleet/not-a-repository";

  constructor(folder: string) {
    super(`${folder} is in no working tree of git.`, {
      hint: "Submit from a clone, or name what to clone: --workspace git --repository URL",
    });
  }
}

/** The repository has no remote that workers could clone. */
export class NoRemoteError extends RaymondError {
  override readonly name = "NoRemoteError";
  readonly code = "fleet/no-remote";

  constructor(repository: string) {
    super(`The repository ${repository} has no remote "origin" that workers could clone.`, {
      hint: `Add one (git remote add origin URL), or name what to clone: --repository URL. Where all workers are on this machine that may be the folder itself: --repository ${repository}`,
    });
  }
}

/** A revision that the repository does not have. */
export class NoSuchCommitError extends RaymondError {
  override readonly name = "NoSuchCommitError";
  readonly code = "fleet/no-such-commit";

  constructor(repository: string, revision: string) {
    super(`${repository} has no commit "${revision}".`, {
      hint:
        revision === "HEAD"
          ? "There is nothing to begin at yet: git commit, and git push."
          : "Where --repository names it, --commit takes a branch, a tag, or all 40 digits of a commit.",
    });
  }
}

/** A commit that is here, and not where the workers fetch it. */
export class CommitNotPushedError extends RaymondError {
  override readonly name = "CommitNotPushedError";
  readonly code = "fleet/not-pushed";

  constructor(commit: string, repository: string) {
    super(`The commit ${commit.slice(0, 12)} is not at ${repository}.`, {
      hint: "Workers fetch it from there: push it first (git push), or name another one: --commit REV",
    });
  }
}

/** A folder of the workspace that cannot be one. */
export class BadSubfolderError extends RaymondError {
  override readonly name = "BadSubfolderError";
  readonly code = "fleet/bad-subfolder";

  constructor(folder: string, problem: string) {
    super(`The run cannot work in ${folder}: it ${problem}.`, {
      hint: "With --workspace git, --folder is a folder of the repository.",
    });
  }
}

/** The remote cannot be reached at the moment: it may be back by itself. */
export class RemoteAwayError extends RaymondError {
  override readonly name = "RemoteAwayError";
  readonly code = "fleet/away-remote";

  constructor(repository: string, said: string) {
    super(`The repository ${repository} cannot be reached: ${said}`, {
      hint: "It may be back by itself. To see what is wrong: git ls-remote, on this machine.",
    });
  }
}

/** The remote refuses, or is not there. */
export class RemoteRefusedError extends RaymondError {
  override readonly name = "RemoteRefusedError";
  readonly code = "fleet/remote-refused";

  constructor(repository: string, said: string) {
    super(`The repository ${repository} cannot be read from this machine: ${said}`, {
      hint: "It is asked with the credentials of this machine's git, and nobody can be asked for a password. Let git ls-remote succeed here first; then, of a run: raymond resume RUN",
    });
  }
}

/** The last files of a run are on a machine that it has left. */
export class FilesLeftBehindError extends RaymondError {
  override readonly name = "FilesLeftBehindError";
  readonly code = "fleet/files-left-behind";

  constructor(run: string, home: string | null, behind: string) {
    super(
      `The last files of ${run} are only on the machine ${home ?? "that had it"}: they could not be pushed. ${behind}`,
      {
        hint: "It goes on there: raymond resume RUN, when that machine is back. What was pushed before is at the remote, below refs/raymond.",
      },
    );
  }
}

/** Git has failed at something that it should be able to do. */
export class GitFailedError extends RaymondError {
  override readonly name = "GitFailedError";
  readonly code = "fleet/git-failed";

  constructor(what: string, said: string) {
    super(`git ${what} has failed: ${said}`, {
      // What .gitattributes asks for is a program, and git says of one that is missing that an end has hung up.
      hint: /not found|cannot run/.test(said)
        ? "Install what is not found on every machine of the pool, as git LFS or another filter of .gitattributes is; then, of a run: raymond resume RUN"
        : "Try it by hand on this machine; then, of a run: raymond resume RUN",
    });
  }
}

/** Another process has killed git, as the guard of a worker does when that hangs: the same again may well succeed. */
export class GitInterruptedError extends RaymondError {
  override readonly name = "GitInterruptedError";
  readonly code = "fleet/git-interrupted";

  constructor(what: string, signal: string) {
    super(`git ${what} was killed by ${signal}.`, {
      hint: "Run the command again. Where it happens each time, see whether the machine has run out of memory.",
    });
  }
}
