import { execFileSync } from "node:child_process";
import { ALONE } from "../support/fleet/repository.ts";
import { scene } from "./scene.ts";

/** A scene in a git repository whose first commit has its files. */
export async function gitScene(...[files, replies, script]: Parameters<typeof scene>) {
  const all = await scene({ ".gitignore": ".raymond/\n", ...files }, replies, script);
  const git = (...args: readonly string[]) => {
    const named = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const options = { cwd: all.project.dir, env: ALONE, encoding: "utf8" } as const;
    return execFileSync("git", [...named, ...args], options).trim();
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  return { ...all, git };
}
