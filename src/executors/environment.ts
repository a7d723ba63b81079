import type { Step } from "../core/machine/step.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { batchFault } from "../core/workflow/resolve.ts";
import { TOKEN_VARIABLE } from "../ports/process.ts";

/** An environment of a process: names and values, nothing undefined. */
export type Environment = Readonly<Record<string, string>>;

/**
 * What children inherit: the launcher's environment, less the names that a
 * raymond around this one has set for its own step, and those by which a coding
 * agent marks what it starts, `marks` (docs/authoring.md, "Environment").
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
 * What raymond adds for one script step. `resultFile` holds the pending payload,
 * and is null exactly when there is none. A payload that an environment cannot
 * carry, or that cmd.exe would execute, is in the file only. Attributes come last, and never replace a name of
 * raymond's own (docs/protocol.md, "Attributes of scripts"). One payload has two names, so that a script can say which it
 * means: what it was given, or what came back.
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

/** The whole environment of a child: on Windows a name replaces one that differs only in case. */
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

/** Whether a payload can be the value of a variable of this step, with room for its name. */
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

/** What raymond sets for what it starts; and the database of a fleet, which no step is told: its password is in it. */
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
