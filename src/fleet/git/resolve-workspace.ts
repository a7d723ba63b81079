import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fleetErrors } from "../errors.ts";
import type { Workspace } from "../store/rows/placement.ts";
import type { Git } from "./git.ts";
import { isMissing, NETWORK_MS, remoteTrouble, withoutSecrets } from "./remote.ts";

/** What is said of the workspace of a run when it is submitted. */
export interface WorkspaceRequest {
  /** What workers clone; the `origin` of the current repository without it. */
  readonly repository: string | undefined;
  /** HEAD without it. */
  readonly commit: string | undefined;
  /** The folder of it that the run works in; as in the current repository without it. */
  readonly folder: string | undefined;
}

export interface ResolveOptions {
  readonly git: Git;
  readonly cwd: string;
  /** Hears sentences about what is odd and stops nothing. */
  readonly warn: (message: string) => void;
}

type GitWorkspace = Extract<Workspace, { readonly kind: "git" }>;

/**
 * The repository and the commit that a run is to begin at, which workers can fetch. Rejects with a RaymondError
 * where there is none, or where its remote does not have that commit.
 */
export async function resolveWorkspace(
  wanted: WorkspaceRequest,
  options: ResolveOptions,
): Promise<GitWorkspace> {
  const { repository, commit, subfolder, here } =
    wanted.repository === undefined
      ? await currentRepository(wanted, options)
      : { ...(await namedRepository(wanted.repository, wanted, options)), here: null };
  const kept = withoutSecrets(repository);
  if (kept !== repository) {
    options.warn(
      `The user name and password in the repository URL are not stored. Workers fetch ${kept} with their own git credentials.`,
    );
  }
  const found = await fetched(repository, commit, options.git);
  if (found === null) {
    if (here !== null) throw fleetErrors["fleet/not-pushed"](commit, kept);
    throw fleetErrors["fleet/no-such-commit"](kept, commit);
  }
  return { kind: "git", repository: kept, commit: found, subfolder };
}

interface Named {
  readonly repository: string;
  /** A commit of 40 digits where it was found here, else what the user has named. */
  readonly commit: string;
  readonly subfolder: string;
}

async function currentRepository(
  { commit: revision, folder = "." }: WorkspaceRequest,
  { git, cwd, warn }: ResolveOptions,
): Promise<Named & { readonly here: string }> {
  const at = path.resolve(cwd, folder);
  if (!(await isFolder(at))) throw fleetErrors["fleet/bad-subfolder"](at, "is not there");
  const ask = (...args: readonly string[]) => git.try(args, { cwd: at });
  const top = await ask("rev-parse", "--show-toplevel");
  if (!top.ok) throw fleetErrors["fleet/not-a-repository"](at);
  const here = top.said;
  const prefix = await ask("rev-parse", "--show-prefix");
  const head = revision ?? "HEAD";
  const commit = await ask(
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${head}^{commit}`,
  );
  if (!commit.ok) throw fleetErrors["fleet/no-such-commit"](here, head);
  if (!(await ask("config", "--get", "remote.origin.url")).ok)
    throw fleetErrors["fleet/no-remote"](here);
  const url = await git.run(["ls-remote", "--get-url", "origin"], { cwd: at });
  const changed = await ask("status", "--porcelain");
  if (revision === undefined && changed.ok && changed.said !== "") {
    const count = changed.said.split("\n").length;
    warn(
      `${count === 1 ? "One file in" : `${String(count)} files in`} ${here} ${count === 1 ? "is" : "are"} not as committed: the run begins at ${commit.said.slice(0, 12)}, without that.`,
    );
  }
  return {
    here,
    repository: reachedFrom(here, url),
    commit: commit.said,
    subfolder: prefix.ok ? prefix.said.replace(/\/$/, "") : "",
  };
}

async function namedRepository(
  repository: string,
  { commit = "HEAD", folder = "" }: WorkspaceRequest,
  { cwd }: ResolveOptions,
): Promise<Named> {
  const subfolder = path.posix.normalize(folder === "" ? "." : folder).replace(/\/$/, "");
  if (path.isAbsolute(folder) || subfolder.split("/")[0] === "..") {
    throw fleetErrors["fleet/bad-subfolder"](folder, "is not below the top of the repository");
  }
  const local = path.resolve(cwd, repository);
  return {
    repository: (await isFolder(local)) ? local : repository,
    commit,
    subfolder: subfolder === "." ? "" : subfolder,
  };
}

/** Other machines know no path that is relative to here. */
function reachedFrom(here: string, url: string): string {
  return /^\.\.?(\/|$)/.test(url) ? path.resolve(here, url) : url;
}

/** The id of a commit, if the remote gives it: as little of it as it can. */
async function fetched(repository: string, commit: string, git: Git): Promise<string | null> {
  const cwd = await mkdtemp(path.join(tmpdir(), "raymond-git-"));
  try {
    await git.run(["init", "--quiet", "--bare", "."], { cwd });
    const answer = await git.try(
      ["fetch", "--quiet", "--no-tags", "--depth=1", "--filter=tree:0", "--", repository, commit],
      { cwd, timeoutMs: NETWORK_MS },
    );
    if (!answer.ok) {
      if (isMissing(answer.said)) return null;
      const kept = withoutSecrets(repository);
      throw remoteTrouble(kept, answer.said.replaceAll(repository, kept));
    }
    const found = await git.try(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"], {
      cwd,
    });
    return found.ok ? found.said : null;
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

async function isFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null);
  return found?.isDirectory() === true;
}
