import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

export type FoundProgram =
  /** Absolute. */
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "not-executable"; readonly path: string }
  /** `onPath`: it was searched on PATH. */
  | { readonly kind: "missing"; readonly onPath: boolean };

/** Finds a program. `program`: a path, or a name on the PATH of `env`. */
export async function findProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<FoundProgram> {
  const isPath = isAbsolute(program) || /[/\\]/.test(program);
  const folders = isPath
    ? [""]
    : pathOf(env)
        .split(delimiter)
        .filter((folder) => folder !== "");
  const endings = platform === "win32" && !RUNNABLE.test(program) ? WINDOWS_ENDINGS : [""];
  let notExecutable: string | null = null;
  for (const folder of folders) {
    for (const ending of endings) {
      const path = resolve(cwd, join(folder, `${program}${ending}`));
      if (!(await isFile(path))) continue;
      if (await isExecutable(path)) return { kind: "found", path };
      notExecutable ??= path;
    }
  }
  if (notExecutable !== null) return { kind: "not-executable", path: notExecutable };
  return { kind: "missing", onPath: !isPath };
}

/** npm also installs a script without extension for other systems, which Windows cannot run. */
const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat"];
const RUNNABLE = /\.(?:exe|com|cmd|bat)$/i;

/** `Path` on Windows. */
function pathOf(env: Readonly<Record<string, string>>): string {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH");
  return name === undefined ? "" : (env[name] ?? "");
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
