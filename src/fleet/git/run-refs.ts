import { tmpdir } from "node:os";
import { shellWord } from "../../console/shell-word.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { RemoteRemains } from "../../wire/run-source.ts";
import { type Git, inBareRepository } from "../../workspaces/git.ts";
import { refOf } from "../../workspaces/refs.ts";

export function fetchCommand(run: string, repository: string): string {
  return `git fetch ${shellWord(repository)} ${refOf(run)}`;
}

/** The refs of these runs at a remote. An error of the remote is part of the result. */
export async function remoteRemains(
  repository: string,
  runs: readonly RunId[],
  git: Git,
): Promise<RemoteRemains> {
  const call = { cwd: tmpdir(), timeoutMs: LIST_MS, network: true };
  const { ok, output } = await git.try(["ls-remote", "--", repository, refOf("*", "*")], call);
  const refs = new Map<RunId, FoundRef[]>(runs.map((run) => [run, []]));
  for (const line of ok ? output.split("\n") : []) {
    const [commit = "", ref = ""] = line.split("\t");
    const run = /^refs\/raymond\/([^/]+)\/[^/]+$/.exec(ref)?.[1] ?? "";
    refs.get(run)?.push({ ref, commit });
  }
  return {
    repository,
    refs: new Map([...refs].map(([run, found]) => [run, found.length])),
    trouble: ok ? null : output,
    remove: (ids) => {
      const found = ids.flatMap((run) => refs.get(run) ?? []);
      return removeRefs(repository, found, git);
    },
    command: (ids) => {
      const patterns = ids.map((run) => shellWord(refOf(run, "*"))).join(" ");
      const remote = shellWord(repository);
      return `git ls-remote ${remote} ${patterns} | cut -f2 | xargs git push ${remote} --delete`;
    },
  };
}

interface FoundRef {
  readonly ref: string;
  readonly commit: string;
}

/** Leases keep refs that were pushed later: they belong to a new run with the same id. Resolves with the error, if any. */
async function removeRefs(
  repository: string,
  refs: readonly FoundRef[],
  git: Git,
): Promise<string | null> {
  if (refs.length === 0) return null;
  return inBareRepository(git, async (cwd) => {
    for (let at = 0; at < refs.length; at += REFS_PER_PUSH) {
      const batch = refs.slice(at, at + REFS_PER_PUSH);
      const leases = batch.map(({ ref, commit }) => `--force-with-lease=${ref}:${commit}`);
      const deletions = batch.map(({ ref }) => `:${ref}`);
      const { ok, output } = await git.try(
        ["push", "--quiet", "--no-verify", ...leases, "--", repository, ...deletions],
        { cwd, timeoutMs: PUSH_MS, network: true },
      );
      if (!ok) return output;
    }
    return null;
  });
}

/** Short timeouts, because the user waits. */
const LIST_MS = 30_000;
const PUSH_MS = 120_000;
/** Limits the length of the command line. */
const REFS_PER_PUSH = 200;
