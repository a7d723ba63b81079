import { existsSync } from "node:fs";
import path from "node:path";

/** A repository by its git directories. */
export interface GitPlace {
  /** Of the working tree. */
  readonly gitDir: string;
  /** Shared by all working trees of the repository. */
  readonly commonDir: string;
  /** Of the working tree; null: none is used. */
  readonly top: string | null;
}

/** A call of git that reads a configuration. */
export type TryGit = (
  args: readonly string[],
  call: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Promise<{ readonly ok: boolean; readonly output: string }>;

/** Which settings of the repository git uses. None of them names a program or another file. */
export type ConfigUse =
  /** Those of the file system. Files are not converted. */
  | "bytes"
  /** Also those that convert line ends. */
  | "conversions"
  /** Also those of its refs and of a sparse checkout. */
  | "all";

/** A configuration for git directories of raymond, from the settings of a repository. */
export async function repositoryConfig(
  { gitDir, top }: Omit<GitPlace, "commonDir">,
  use: ConfigUse,
  tryGit: TryGit,
): Promise<string> {
  // Not the setting of the repository, which can be a copy from another file system: new files would be missing then.
  const ignoresCase = existsSync(top === null ? path.join(gitDir, "head") : path.join(top, ".GIT"));
  const args = [
    "config",
    "--get-regexp",
    `^(${[...NAMES[use], "extensions.objectformat"].join("|")})$`,
  ];
  const found = await tryGit(args, { cwd: gitDir, env: { GIT_DIR: gitDir } });
  const copied = (found.ok ? found.output.split("\n") : []).flatMap((line) => {
    const [, section = "", name = "", value = ""] = SETTING.exec(line) ?? [];
    return name === "" ? [] : `[${section}]\n\t${name} = ${value}`;
  });
  return [
    "[core]",
    `\trepositoryformatversion = ${copied.some((each) => each.startsWith("[ext")) ? "1" : "0"}`,
    "\tbare = false",
    ...(use === "bytes" ? ["\tautocrlf = false"] : []),
    "\tsafecrlf = false",
    "\tquotepath = false",
    "\tpreloadindex = true",
    "\tlongpaths = true",
    `\tignorecase = ${String(ignoresCase)}`,
    "[index]",
    "\tversion = 4",
    ...copied,
    // A step could name a server for missing files of git LFS in `.lfsconfig`.
    ...(use === "all" ? ["[lfs]", "\turl = file:///dev/null"] : []),
    "",
  ].join("\n");
}

const SETTING =
  /^(core|extensions)\.([a-z]+) (true|false|input|lf|crlf|native|sha1|sha256|files|reftable)$/;

const FILE_SYSTEM = ["core.filemode", "core.symlinks", "core.precomposeunicode"];
const CONVERSIONS = [...FILE_SYSTEM, "core.autocrlf", "core.eol"];
const NAMES: Readonly<Record<ConfigUse, readonly string[]>> = {
  bytes: FILE_SYSTEM,
  conversions: CONVERSIONS,
  all: [...CONVERSIONS, "core.sparsecheckout(cone)?", "extensions.refstorage"],
};
