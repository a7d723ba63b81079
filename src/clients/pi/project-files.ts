import { stat } from "node:fs/promises";
import path from "node:path";

/** Whether a call may load the settings of the project in its working folder. */
export type ProjectAccess =
  | { readonly kind: "load" }
  /** `warning`: why, to show once; null if the user has decided so. */
  | { readonly kind: "ignore"; readonly warning: string | null };

/**
 * Files and folders of a project that pi executes or obeys only in a trusted folder, relative to `cwd` (docs/pi.md,
 * "Settings of the project"). Extensions are programs, settings can name others.
 */
export async function projectFiles(cwd: string): Promise<readonly string[]> {
  const own = OF_PROJECT.map((name) => path.join(".pi", name));
  const skills = withParents(cwd).map((folder) =>
    path.relative(cwd, path.join(folder, ".agents", "skills")),
  );
  const found: string[] = [];
  for (const name of [...own, ...skills]) if (await exists(path.join(cwd, name))) found.push(name);
  return found;
}

const OF_PROJECT = [
  ...["settings.json", "extensions", "skills", "prompts", "themes"],
  ...["SYSTEM.md", "APPEND_SYSTEM.md"],
] as const;

function withParents(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
