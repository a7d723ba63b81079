import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { shellWord } from "../../console/shell-word.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { RemoteRemains } from "../../wire/run-source.ts";
import type { Git } from "./git.ts";
import { readRef, refOf } from "./refs.ts";

/** What a remote has of these runs. Never rejects for what the remote says. */
export async function remoteRemains(
  repository: string,
  runs: readonly RunId[],
  git: Git,
): Promise<RemoteRemains> {
  const wanted = new Set(runs);
  const call = { cwd: tmpdir(), timeoutMs: LOOK_MS };
  const said = await git.try(["ls-remote", "--", repository, refOf("*", "*")], call);
  const found = said.ok ? refsIn(said.said).filter(({ run }) => wanted.has(run)) : [];
  const of = (run: RunId) => found.filter((ref) => ref.run === run);
  return {
    repository,
    refs: new Map(runs.map((run) => [run, of(run).length])),
    trouble: said.ok ? null : said.said,
    remove: (gone) => removeRefs(repository, gone.flatMap(of), git),
    command: (gone) => {
      const patterns = gone.map((run) => shellWord(refOf(run, "*"))).join(" ");
      const there = shellWord(repository);
      return `git ls-remote ${there} ${patterns} | cut -f2 | xargs git push ${there} --delete`;
    },
  };
}

interface FoundRef {
  readonly ref: string;
  readonly run: RunId;
  readonly commit: string;
}

function refsIn(said: string): readonly FoundRef[] {
  return said.split("\n").flatMap((line) => {
    const [commit = "", ref = ""] = line.split("\t");
    const run = readRef(ref);
    return run === null ? [] : [{ ref, run, commit }];
  });
}

/** Only as they were found: what somebody has pushed since is of a run that has begun since, by the same name. */
async function removeRefs(
  repository: string,
  refs: readonly FoundRef[],
  git: Git,
): Promise<string | null> {
  if (refs.length === 0) return null;
  // To push, git wants to be in a repository, whatever is in that.
  const around = await mkdtemp(path.join(tmpdir(), "raymond-refs-"));
  try {
    await git.run(["init", "--quiet", "--bare", "."], { cwd: around });
    for (let at = 0; at < refs.length; at += AT_ONCE) {
      const some = refs.slice(at, at + AT_ONCE);
      const leases = some.map(({ ref, commit }) => `--force-with-lease=${ref}:${commit}`);
      const gone = some.map(({ ref }) => `:${ref}`);
      const answer = await git.try(
        ["push", "--quiet", "--no-verify", ...leases, "--", repository, ...gone],
        { cwd: around, timeoutMs: PUSH_MS },
      );
      if (!answer.ok) return answer.said;
    }
    return null;
  } finally {
    await rm(around, { recursive: true, force: true });
  }
}

/** Whoever deletes runs waits for it. */
const LOOK_MS = 30_000;
const PUSH_MS = 120_000;
/** What fits into one command. */
const AT_ONCE = 200;
