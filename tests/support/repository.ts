import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** A bare remote, and a clone of it with its first commit pushed. */
export interface TestRepository {
  readonly remote: string;
  readonly clone: string;
  /** Calls git in the clone, and resolves with what it prints. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Calls git in the remote. */
  readonly inRemote: (...args: readonly string[]) => Promise<string>;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Commits all that is in the clone; resolves with the commit. */
  readonly commit: (message: string) => Promise<string>;
}

/** Makes them below a folder, with these files in the first commit, on the branch `main`. */
export async function testRepository(
  below: string,
  files: Readonly<Record<string, string>>,
): Promise<TestRepository> {
  const remote = path.join(below, "remote.git");
  const clone = path.join(below, "clone");
  const call =
    (cwd: string) =>
    async (...args: readonly string[]) => {
      const { stdout } = await promisify(execFile)("git", [...NAMED, ...args], { cwd, env: ALONE });
      return stdout.trim();
    };
  await mkdir(remote, { recursive: true });
  await call(remote)("init", "--quiet", "--bare", "--initial-branch=main", ".");
  await call(below)("clone", "--quiet", remote, clone);
  const git = call(clone);
  const write = async (file: string, text: string) => {
    const place = path.join(clone, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  };
  const commit = async (message: string) => {
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD");
  };
  await git("checkout", "--quiet", "-B", "main");
  for (const [file, text] of Object.entries(files)) await write(file, text);
  await commit("first");
  await git("push", "--quiet", "origin", "main");
  return { remote, clone, git, inRemote: call(remote), write, commit };
}

/** The git of whoever runs the tests may be set up in any way. */
export const ALONE = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

const NAMED = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
