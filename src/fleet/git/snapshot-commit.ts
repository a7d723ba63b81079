import type { Git } from "./git.ts";

/** A commit that keeps the files of a workspace, and where its own HEAD was. */
export interface SnapshotCommit {
  readonly commit: string;
  readonly tree: string;
  /** The commit that was checked out. */
  readonly head: string;
  /** The branch that was; null: none. */
  readonly branch: string | null;
}

/** Reads a snapshot; any other commit is taken for one of itself. */
export async function readSnapshot(
  commit: string,
  git: Git,
  call: Parameters<Git["run"]>[1] & { readonly dir: readonly string[] },
): Promise<SnapshotCommit> {
  const { dir } = call;
  const message = await git.run(
    [...dir, "log", "-1", "--no-show-signature", "--format=%T%n%B", commit, "--"],
    call,
  );
  const [tree = "", ...lines] = message.split("\n");
  const field = (name: string) => {
    const line = lines.find((each) => each.startsWith(`${name}: `));
    return line === undefined ? null : line.slice(name.length + 2);
  };
  return { commit, tree, head: field(HEAD) ?? commit, branch: field(BRANCH) };
}

/** What stands in the message of a snapshot. */
export function printSnapshot(
  title: string,
  { head, branch }: Pick<SnapshotCommit, "head" | "branch">,
): string {
  return [title, "", `${HEAD}: ${head}`, ...(branch === null ? [] : [`${BRANCH}: ${branch}`])].join(
    "\n",
  );
}

const HEAD = "Raymond-Head";
const BRANCH = "Raymond-Branch";
