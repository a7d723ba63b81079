import { homedir } from "node:os";
import path from "node:path";
import { readEnvironment, unknownVariables } from "../config/environment.ts";
import { findConfig, loadConfig } from "../config/load.ts";
import { type Merged, mergeSettings } from "../config/merge.ts";
import type { PartialSettings } from "../config/settings.ts";
import { runSettings } from "../config/switches.ts";
import { OWN_VARIABLES } from "../engine/executors/environment.ts";
import { modelTypo, toolTypo } from "../language/workflow/policy/known-names.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import type { Caller } from "./caller.ts";

/**
 * The settings of a new run: flags over environment over configuration file over workflow over
 * defaults (docs/configuration.md, "Precedence").
 */
export async function readSettings(
  given: PartialSettings,
  root: string,
  { env, cwd }: Pick<Caller, "env" | "cwd">,
  workflow: PartialSettings = {},
): Promise<
  Pick<Merged, "notices" | "granted"> & {
    readonly settings: RunSettings;
    /** The user or the workflow chose the steps with snapshots. */
    readonly requestsSnapshots: boolean;
    readonly warnings: readonly string[];
  }
> {
  const environment = withFolders(readEnvironment(env), cwd);
  const found = await findConfig(root);
  const file = found === null ? null : await loadConfig(found);
  const warnings = [...unknownVariables(env, OWN_VARIABLES), ...(file?.warnings ?? [])];
  const flags = withFolders(given, cwd);
  const inFile = file && { ...file, settings: withFolders(file.settings, projectOf(root)) };
  const { settings, origins, notices, granted } = mergeSettings({
    flags,
    environment,
    file: inFile,
    workflow,
  });
  warnings.push(...typosOf(settings));
  const requestsSnapshots = origins.snapshots !== "default";
  return { settings: runSettings(settings), requestsSnapshots, notices, granted, warnings };
}

function typosOf(settings: PartialSettings): readonly string[] {
  const { model, fallbackModel, tools, allowedTools, disallowedTools } = settings;
  const models = [model, fallbackModel].flatMap((name) => modelTypo(name ?? "") ?? []);
  const all = [tools, allowedTools, disallowedTools].flatMap((list) => list ?? []);
  return [...models, ...all.flatMap((rule) => toolTypo(rule) ?? [])];
}

/** The project of a state folder. */
export function projectOf(root: string): string {
  return path.dirname(path.resolve(root));
}

/** With absolute paths, so that a run can be resumed from anywhere. */
export function withFolders<Given extends PartialSettings>(given: Given, base: string): Given {
  const { workflowPath, sandbox } = given;
  const atHome = (each: string) => each.replace(/^~(?=\/|$)/, homedir());
  const full = (paths: readonly string[]) => paths.map((each) => path.resolve(base, atHome(each)));
  const relative = sandbox?.write.filter((each) => !path.isAbsolute(atHome(each))) ?? [];
  return {
    ...given,
    ...(workflowPath && { workflowPath: full(workflowPath) }),
    ...(sandbox && {
      sandbox: {
        ...sandbox,
        write: full(sandbox.write),
        ...(relative.length > 0 && { relative: full(relative) }),
      },
    }),
  };
}
