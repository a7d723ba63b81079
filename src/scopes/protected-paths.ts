import { realpathSync } from "node:fs";
import path from "node:path";
import type { Scope } from "../engine/ports/scope.ts";
import { isBelow } from "../files/paths.ts";
import { MANIFEST_NAME } from "../language/workflow/files/manifest.ts";
import { EXTENSIONS } from "../language/workflow/files/state-name.ts";
import type { DeniedName } from "../machine/decide/step.ts";

/** A folder whose files control what a run executes. */
export interface ProtectedFolder {
  /** Absolute. */
  readonly path: string;
  /** Names to protect instead of the whole folder if a step works inside it. */
  readonly names: () => Promise<readonly string[]>;
  /** Names that raymond would use if they were added there. `*` matches any text. */
  readonly globs: readonly string[];
}

/** The state folder: settings, saved runs, and copies of workflows. */
export function stateFolder(root: string): ProtectedFolder {
  return {
    path: root,
    names: () => Promise.resolve(STATE_FOLDER),
    globs: STATE_FOLDER,
  };
}

const STATE_FOLDER = ["config.toml", "workflows", "runs", "debug"];

export function workflowFolder(scope: Scope): ProtectedFolder {
  return {
    path: scope.dir,
    names: async () => [...(await scope.names()), ...(await scope.schemas()), MANIFEST_NAME],
    globs: [
      ...[...EXTENSIONS, ".schema.json", ".test.yaml", ".sim.yaml"].map((ending) => `*${ending}`),
      MANIFEST_NAME,
    ],
  };
}

/** A workflow in one file: a zip or YAML. */
export function workflowFile(file: string): ProtectedFolder {
  return { path: file, names: () => Promise.resolve([]), globs: [] };
}

/**
 * The names that a prompt step in `cwd` must not add, because raymond would use them: in folders that cannot be denied
 * as a whole, and state folders everywhere, in which a later run may start. State folders are missing in the folder
 * of a step inside of one.
 */
export function protectedNames(
  folders: readonly ProtectedFolder[],
  cwd: string,
): readonly DeniedName[] {
  const isInStateFolder = cwd.split(/[\\/]/).includes(".raymond");
  const around = folders.filter(({ path: place }) => isAroundAny(place, withTarget(cwd)));
  return [
    { folder: isInStateFolder ? cwd : path.parse(cwd).root, glob: "**/.raymond" },
    ...around.flatMap(({ path: place, globs }) =>
      withTarget(place).flatMap((folder) => globs.map((glob) => ({ folder, glob }))),
    ),
  ];
}

/**
 * The paths that a prompt step in `cwd` must not change (docs/permissions.md, "Protected files"). A
 * folder that contains `cwd` cannot be denied as a whole, so its own files are listed. Links are
 * listed with their targets, because a client may compare either.
 */
export async function protectedPaths(
  folders: readonly ProtectedFolder[],
  cwd: string,
): Promise<readonly string[]> {
  const here = withTarget(cwd);
  const isAround = (place: string) => isAroundAny(place, here);
  const paths = await Promise.all(
    folders.map(async (folder) => {
      if (!isAround(folder.path)) return [folder.path];
      const inside = (await folder.names()).map((name) => path.join(folder.path, name));
      return inside.filter((place) => !isAround(place));
    }),
  );
  return [...new Set(paths.flat().flatMap(withTarget))];
}

function isAroundAny(place: string, folders: readonly string[]): boolean {
  return withTarget(place).some((each) => folders.some((folder) => isBelow(each, folder)));
}

/** A path, and its target if it goes through links. */
export function withTarget(place: string): readonly string[] {
  try {
    const real = realpathSync.native(place);
    return real === place ? [place] : [place, real];
  } catch {
    // A missing file, such as config.toml, is named by the target of its folder.
    const parent = path.dirname(place);
    if (parent === place) return [place];
    return withTarget(parent).map((folder) => path.join(folder, path.basename(place)));
  }
}
