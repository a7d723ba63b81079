import path from "node:path";
import { counted } from "../../language/basics/counted.ts";
import { isFolder } from "../../wire/system/system.ts";
import { type Git, inBareRepository } from "../../workspaces/git.ts";
import { findRepository, inTree } from "../../workspaces/repository.ts";
import { fleetErrors } from "../errors.ts";
import type { Workspace } from "../store/rows/placement.ts";
import { fetchRefs, withoutSecrets } from "./remote.ts";

export interface WorkspaceRequest {
  /** Default: `origin` of the current repository. */
  readonly repository: string | undefined;
  /** Default: HEAD. */
  readonly commit: string | undefined;
  /** The folder that the run works in. Default: the same as here. */
  readonly folder: string | undefined;
}

export interface ResolveOptions {
  readonly git: Git;
  readonly cwd: string;
  readonly warn: (message: string) => void;
}

type GitWorkspace = Extract<Workspace, { readonly kind: "git" }>;

/** Resolves the repository and the commit to start from. Rejects if workers cannot fetch the commit. */
export async function resolveWorkspace(
  request: WorkspaceRequest,
  options: ResolveOptions,
): Promise<GitWorkspace> {
  const local = request.repository === undefined ? await currentRepository(request, options) : null;
  const source = local ?? namedRepository(request.repository ?? "", request, options);
  const repository = withoutSecrets(source.repository);
  if (repository !== source.repository) {
    options.warn(
      `The user name and password in the repository URL are not stored. Workers fetch ${repository} with their own git credentials.`,
    );
  }
  const commit = await fetchCommit(source, options.git);
  if (commit !== null) return { kind: "git", repository, commit, subfolder: source.subfolder };
  throw local === null
    ? fleetErrors["fleet/no-such-commit"](repository, source.commit)
    : fleetErrors["fleet/not-pushed"](source.commit, repository);
}

/** `commit` is an id of 40 digits or any revision that the remote knows. */
type Source = Omit<GitWorkspace, "kind">;

async function currentRepository(
  { commit: revision, folder = "." }: WorkspaceRequest,
  { git, cwd, warn }: ResolveOptions,
): Promise<Source> {
  const at = path.resolve(cwd, folder);
  if (!isFolder(at)) throw fleetErrors["fleet/bad-subfolder"](at, "is not there");
  const ask = (...args: readonly string[]) => git.try(args, { cwd: at });
  const { ok, output: top } = await ask("rev-parse", "--show-toplevel");
  if (!ok) throw fleetErrors["fleet/not-a-repository"](at);
  const prefix = await ask("rev-parse", "--show-prefix");
  const head = revision ?? "HEAD";
  const verify = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
  const commit = await ask(...verify, `${head}^{commit}`);
  if (!commit.ok) throw fleetErrors["fleet/no-such-commit"](top, head);
  if (!(await ask("config", "--get", "remote.origin.url")).ok)
    throw fleetErrors["fleet/no-remote"](top);
  const url = await git.run(["ls-remote", "--get-url", "origin"], { cwd: at });
  const checkout = await findRepository(at, git);
  const changed =
    checkout === null
      ? { ok: false, output: "" }
      : await git.try(["status", "--porcelain"], inTree(checkout));
  if (revision === undefined && changed.ok && changed.output !== "") {
    const count = changed.output.split("\n").length;
    warn(
      `${counted(count, "file")} in ${top} ${count === 1 ? "has" : "have"} uncommitted changes: the run starts from ${commit.output.slice(0, 12)}, without them.`,
    );
  }
  return {
    // Other machines cannot resolve a relative path.
    repository: /^\.\.?(\/|$)/.test(url) ? path.resolve(top, url) : url,
    commit: commit.output,
    subfolder: prefix.ok ? prefix.output.replace(/\/$/, "") : "",
  };
}

function namedRepository(
  repository: string,
  { commit = "HEAD", folder = "" }: WorkspaceRequest,
  { cwd }: ResolveOptions,
): Source {
  const subfolder = path.posix.normalize(folder === "" ? "." : folder).replace(/\/$/, "");
  if (path.isAbsolute(folder) || subfolder.split("/")[0] === "..") {
    throw fleetErrors["fleet/bad-subfolder"](folder, "is not below the top of the repository");
  }
  const local = path.resolve(cwd, repository);
  return {
    repository: isFolder(local) ? local : repository,
    commit,
    subfolder: subfolder === "." ? "" : subfolder,
  };
}

/** The id of the commit; null if the remote does not have it. Downloads as little as possible. */
function fetchCommit({ repository, commit }: Source, git: Git): Promise<string | null> {
  return inBareRepository(git, async (cwd) => {
    const options = ["--no-tags", "--depth=1", "--filter=tree:0"];
    if (!(await fetchRefs(repository, [commit], options, { git, cwd }))) return null;
    const found = await git.try(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"], {
      cwd,
    });
    return found.ok ? found.output : null;
  });
}
