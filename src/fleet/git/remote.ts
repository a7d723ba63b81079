import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { RaymondError } from "../../language/basics/errors.ts";
import type { Git } from "../../workspaces/git.ts";
import { fleetErrors } from "../errors.ts";

/** Timeout of commands that use the network. */
export const NETWORK_MS = 15 * 60_000;

/** The URL without a password, and over HTTP also without a user name, which may be a token. */
export function withoutSecrets(url: string): string {
  return url
    .replace(/^(https?:\/\/)[^/@]*@/i, "$1")
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:]*):[^/@]*@/i, "$1@");
}

/** The error for a failed access to a remote: temporary if the network is the cause. */
export function remoteError(repository: string, output: string): RaymondError {
  return NETWORK_FAILURE.test(output)
    ? fleetErrors["fleet/away-remote"](repository, output)
    : fleetErrors["fleet/remote-refused"](repository, output);
}

const NETWORK_FAILURE =
  /could not resolve host|timed out|failed to connect|connection (refused|reset|closed)|network is unreachable|no route to host|early eof|hung up unexpectedly|temporary failure|returned error: 5\d\d/i;

const MISSING_REF = /not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i;

/** Fetches into the repository `cwd`. False if the remote does not have a ref. Rejects with {@link remoteError}. */
export async function fetchRefs(
  url: string,
  refs: readonly string[],
  options: readonly string[],
  { git, cwd }: { readonly git: Git; readonly cwd: string },
): Promise<boolean> {
  const args = ["fetch", "--quiet", ...options, "--", url, ...refs];
  const { ok, output } = await git.try(args, { cwd, timeoutMs: NETWORK_MS, network: true });
  if (ok || MISSING_REF.test(output)) return ok;
  const shown = withoutSecrets(url);
  throw remoteError(shown, output.replaceAll(url, shown));
}

/** A bare copy of each remote repository on this machine. Runs are cloned from there. */
export class Repositories {
  readonly #folder: string;
  readonly #git: Git;
  /** Concurrent fetches into one repository would fail. */
  readonly #fetching = new Map<string, Promise<unknown>>();

  constructor(folder: string, git: Git) {
    this.#folder = folder;
    this.#git = git;
  }

  /** Resolves with the bare repository after fetching the commit and all branches and tags. */
  async withCommit(url: string, commit: string): Promise<string> {
    const last = this.#fetching.get(url) ?? Promise.resolve();
    const mine = last.then(() => this.#fetch(url, commit));
    this.#fetching.set(
      url,
      mine.catch(() => undefined),
    );
    return mine;
  }

  async #fetch(url: string, commit: string): Promise<string> {
    const name = createHash("sha256").update(url).digest("hex").slice(0, 24);
    const cwd = path.join(this.#folder, name);
    await mkdir(cwd, { recursive: true, mode: 0o700 });
    const git = this.#git;
    await git.run(["init", "--quiet", "--bare", "."], { cwd });
    const get = async (...refs: readonly string[]) => {
      if (!(await fetchRefs(url, refs, ["--prune", "--no-write-fetch-head"], { git, cwd })))
        throw fleetErrors["fleet/no-such-commit"](url, commit);
    };
    await get("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
    const found = await git.try(["cat-file", "-e", `${commit}^{commit}`], { cwd });
    if (!found.ok) await get(commit);
    return cwd;
  }
}
