import type { Platform } from "../../language/workflow/files/platform.ts";
import { BASE_VARIABLES } from "../../language/workflow/policy/base-variables.ts";
import { matchesVariable } from "../../language/workflow/policy/declared-environment.ts";
import { batchFault } from "../../language/workflow/resolve.ts";
import type { Step } from "../../machine/decide/step.ts";
import { type StepEnvironment, variableFilter } from "../../machine/decide/step-environment.ts";
import { TOKEN_VARIABLE } from "../ports/process.ts";

export type Environment = Readonly<Record<string, string>>;

/**
 * The environment that child processes inherit: the launcher's, without the variables of an outer
 * raymond's step and without `marks`, the variables that identify a coding agent
 * (docs/authoring.md, "Environment").
 */
export function baseEnvironment(
  launcher: NodeJS.ProcessEnv,
  marks: ReadonlySet<string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(launcher).flatMap(([name, value]) =>
      value === undefined || marks.has(name) || OWN_VARIABLES.has(name) ? [] : [[name, value]],
    ),
  );
}

/**
 * The environment of a step: the inherited variables that it may receive, those that its coding agent
 * needs (`ofAgent`: names and `PREFIX_*`), and those that the user or the workflow sets. `set` never
 * replaces a variable of raymond.
 */
export function environmentOf(
  step: StepEnvironment,
  inherited: Environment,
  platform: Platform,
  ofAgent: readonly string[] = [],
): Environment {
  const set = Object.fromEntries(
    Object.entries(step.set).filter(([name]) => !OWN_VARIABLES.has(name)),
  );
  if (step.pass === null && Object.keys(set).length === 0) return inherited;
  if (step.pass === null) return joinEnvironments(inherited, set, platform);
  const isPassed = variableFilter(step, ofAgent, platform === "windows");
  const passed = Object.entries(inherited).filter(([name]) => isPassed(name));
  return joinEnvironments(Object.fromEntries(passed), set, platform);
}

/**
 * The environment of a step in a container: of the inherited variables only those that its `pass`
 * names. Those that describe this machine, such as PATH, must be named exactly.
 */
export function containedEnvironment(
  { pass, set }: StepEnvironment,
  inherited: Environment,
): Environment {
  const named = Object.entries(inherited).filter(
    ([name]) =>
      matchesVariable(pass ?? [], name) &&
      (pass?.includes(name) === true || !matchesVariable(BASE_VARIABLES, name)),
  );
  const own = Object.entries(set).filter(([name]) => !OWN_VARIABLES.has(name));
  return { HOME: "/tmp", TMPDIR: "/tmp", ...Object.fromEntries([...named, ...own]) };
}

/**
 * The variables that raymond adds for a script step. `resultFile` contains the pending payload, and
 * is null exactly if there is none. A payload that does not fit into a variable, or that cmd.exe
 * would execute, is only in the file. Attributes never override raymond's own names
 * (docs/protocol.md, "Attributes of scripts"). The payload has two names, for input and for result,
 * so that scripts can use the one that fits.
 */
export function scriptEnvironment(step: Step, resultFile: string | null): Environment {
  const { pendingResult } = step.agent;
  const json = JSON.stringify(step.agent.attributes);
  const own: Environment = {
    RAYMOND_WORKFLOW_ID: step.run,
    RAYMOND_AGENT_ID: step.agent.id,
    RAYMOND_STATE_DIR: step.scopeDir,
    RAYMOND_STATE_FILE: step.path,
    RAYMOND_ATTEMPT: String(step.attempt),
    [TOKEN_VARIABLE]: step.token,
    ...(step.agent.wanted === null ? {} : { RAYMOND_STATE: step.agent.wanted }),
    ...(fitsVariable(json, step) ? { RAYMOND_ATTRIBUTES: json } : {}),
    ...(step.gated !== null && fitsVariable(step.gated, step)
      ? { RAYMOND_TRANSITION: step.gated }
      : {}),
    ...(pendingResult !== null && fitsVariable(pendingResult, step)
      ? { RAYMOND_RESULT: pendingResult, RAYMOND_INPUT: pendingResult }
      : {}),
    ...(resultFile === null
      ? {}
      : { RAYMOND_RESULT_FILE: resultFile, RAYMOND_INPUT_FILE: resultFile }),
  };
  const attributes = Object.entries(step.agent.attributes).filter(
    ([name]) => !name.toUpperCase().startsWith("RAYMOND_") && !step.withheld.includes(name),
  );
  return { ...own, ...Object.fromEntries(attributes) };
}

/** The complete environment of a child. On Windows names are compared without case. */
export function joinEnvironments(
  base: Environment,
  added: Environment,
  platform: Platform,
): Environment {
  if (platform === "unix") return { ...base, ...added };
  const replaced = new Set(Object.keys(added).map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()));
  return { ...Object.fromEntries(kept), ...added };
}

/** Whether a payload fits into an environment variable of this step. */
function fitsVariable(text: string, { file, platform }: Step): boolean {
  if (text.includes("\0") || batchFault(file.name, { payload: text }) !== null) return false;
  switch (platform) {
    case "unix":
      return Buffer.byteLength(text) <= MAX_VARIABLE_BYTES;
    case "windows":
      return text.length <= MAX_WINDOWS_VARIABLE_UNITS;
  }
}

/** Half of what Linux allows for one `name=value`. */
const MAX_VARIABLE_BYTES = 64 * 1024;
/** Windows allows 32,767 UTF-16 units. */
const MAX_WINDOWS_VARIABLE_UNITS = 32_000;

/**
 * Variables that raymond sets for child processes, and the fleet database, whose URL contains a
 * password.
 */
export const OWN_VARIABLES: ReadonlySet<string> = new Set([
  "RAYMOND_FLEET",
  "RAYMOND_FLEET_FILE",
  "RAYMOND_WORKFLOW_ID",
  "RAYMOND_AGENT_ID",
  "RAYMOND_STATE_DIR",
  "RAYMOND_STATE_FILE",
  "RAYMOND_ATTEMPT",
  "RAYMOND_ATTRIBUTES",
  "RAYMOND_TRANSITION",
  "RAYMOND_STATE",
  "RAYMOND_RESULT",
  "RAYMOND_RESULT_FILE",
  "RAYMOND_INPUT",
  "RAYMOND_INPUT_FILE",
  TOKEN_VARIABLE,
]);
