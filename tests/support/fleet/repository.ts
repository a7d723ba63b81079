import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** A bare remote and a clone with one pushed commit. */
export interface TestRepository {
  readonly remote: string;
  readonly clone: string;
  /** Runs git in the clone and returns its output. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Runs git in the remote. */
  readonly inRemote: (...args: readonly string[]) => Promise<string>;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Commits all files of the clone. Resolves with the commit id. */
  readonly commit: (message: string) => Promise<string>;
}

/** Creates both below a folder, with these files in the first commit of `main`. */
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

/** Ignores the git configuration of the user. */
export const ALONE = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

const NAMED = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
