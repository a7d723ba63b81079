import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fleetErrors } from "../errors.ts";
import type { Git } from "./git.ts";
import { isMissing, NETWORK_MS, remoteTrouble } from "./remote.ts";

/** What this machine has fetched of repositories, one bare one for each URL: runs are cloned from there. */
export class Repositories {
  readonly #folder: string;
  readonly #git: Git;
  /** Two that fetch into one at the same time would be in each other's way. */
  readonly #fetching = new Map<string, Promise<unknown>>();

  constructor(folder: string, git: Git) {
    this.#folder = folder;
    this.#git = git;
  }

  /** Resolves with the bare repository when it has the commit, and the branches and tags as they are now. */
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
    const bare = path.join(
      this.#folder,
      createHash("sha256").update(url).digest("hex").slice(0, 24),
    );
    await mkdir(bare, { recursive: true, mode: 0o700 });
    const call = { cwd: bare, timeoutMs: NETWORK_MS };
    await this.#git.run(["init", "--quiet", "--bare", "."], call);
    const get = async (...refs: readonly string[]) => {
      const answer = await this.#git.try(
        ["fetch", "--quiet", "--prune", "--no-write-fetch-head", "--", url, ...refs],
        call,
      );
      if (!answer.ok) {
        if (isMissing(answer.said)) throw fleetErrors["fleet/no-such-commit"](url, commit);
        throw remoteTrouble(url, answer.said);
      }
    };
    await get("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
    const has = await this.#git.try(["cat-file", "-e", `${commit}^{commit}`], call);
    if (!has.ok) await get(commit);
    return bare;
  }
}
