import type { DeclaredPermissions } from "../../language/permissions/declared.ts";
import type { LevelsOfAgent } from "../../language/permissions/level-facts.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";
import {
  type DeclaredEnvironment,
  EVERY_VARIABLE,
} from "../../language/workflow/policy/declared-environment.ts";
import type { Sandbox } from "../../language/workflow/policy/sandbox.ts";
import { stepEnvironment } from "../../machine/decide/step-environment.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";

/** The settings of a run, and the `env`, the permissions and the sandbox that the workflow declares. */
export interface ExplainSettings extends RunSettings {
  readonly workflowEnv: DeclaredEnvironment;
  readonly workflowPermissions: DeclaredPermissions;
  readonly workflowSandbox: Sandbox | null;
  /** Of a coding agent; null: this version does not have it. */
  readonly levelsOf: (agent: string) => LevelsOfAgent | null;
}

export function environmentOf(
  { kind, env }: StateFile,
  { workflowEnv, ...settings }: ExplainSettings,
  place: "machine" | "container" = "machine",
): readonly string[] {
  const { pass, set, secret } = stepEnvironment(kind, settings, workflowEnv, env);
  const names = Object.keys(set);
  return [
    `${place === "machine" ? receives(pass) : receivesInContainer(pass ?? [])}.`,
    ...(names.length === 0 ? [] : [`Receive with a fixed value: ${names.join(", ")}.`]),
    ...(secret.length === 0 ? [] : [`Never write the values of: ${secret.join(", ")}.`]),
  ];
}

function receivesInContainer(pass: readonly string[]): string {
  if (pass.includes(EVERY_VARIABLE)) return "Read all environment variables but the base variables";
  return pass.length === 0
    ? "Read no environment variables of this machine"
    : `Read no environment variables of this machine but ${pass.join(", ")}`;
}

function receives(pass: readonly string[] | null): string {
  if (pass === null || pass.includes(EVERY_VARIABLE)) return "Read all environment variables";
  const base = "Read the base environment variables";
  return pass.length === 0 ? base : `${base}, and ${pass.join(", ")}`;
}
