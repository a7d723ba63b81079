import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Git } from "./git.ts";
import { REPOSITORY_FILE } from "./plain-git.ts";
import { refOf } from "./refs.ts";
import { inCommon } from "./repository.ts";

/** The repositories with snapshots of a run: their shared git directories. `folder`: of raymond, for the run. */
export async function snapshotRepositories(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map((name) =>
      readFile(path.join(folder, name, REPOSITORY_FILE), "utf8").catch(() => null),
    ),
  );
  return [...new Set(found.filter((each) => each !== null))];
}

/** Deletes the snapshots of a run in a repository. Git removes their objects at its next collection. */
export async function removeRunRefs(run: string, commonDir: string, git: Git): Promise<void> {
  const call = inCommon(commonDir);
  const prefix = refOf(run, "");
  const list = ["for-each-ref", "--format=%(refname)", prefix.replace(/\/$/, "")];
  const found = await git.try(list, call);
  const refs = found.ok ? found.output.split("\n").filter((ref) => ref.startsWith(prefix)) : [];
  if (refs.length === 0) return;
  const input = refs.map((ref) => `delete ${ref}\n`).join("");
  await git.run(["update-ref", "--no-deref", "--stdin"], { ...call, input });
}
