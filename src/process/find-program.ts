import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

export type FoundProgram =
  /** Absolute. */
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "not-executable"; readonly path: string }
  /** `onPath`: it was searched on PATH. */
  | { readonly kind: "missing"; readonly onPath: boolean };

/** Finds a program. `program`: a path, or a name on the PATH of `env`. */
export function findProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): FoundProgram {
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
      if (!isFile(path)) continue;
      if (isExecutable(path)) return { kind: "found", path };
      notExecutable ??= path;
    }
  }
  if (notExecutable !== null) return { kind: "not-executable", path: notExecutable };
  return { kind: "missing", onPath: !isPath };
}

/** The absolute path of an executable in the folders of `PATH`; null if there is none. */
export function programOnPath(name: string, searchPath: string | undefined): string | null {
  const found = findProgram(name, { PATH: searchPath ?? "" }, process.cwd());
  return found.kind === "found" ? found.path : null;
}

/** npm also installs a script without extension for other systems, which Windows cannot run. */
const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat"];
const RUNNABLE = /\.(?:exe|com|cmd|bat)$/i;

/** `Path` on Windows. */
function pathOf(env: Readonly<Record<string, string>>): string {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH");
  return name === undefined ? "" : (env[name] ?? "");
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Also a folder of PATH that is a file or cannot be searched.
    return false;
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
