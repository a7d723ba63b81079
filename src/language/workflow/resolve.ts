import type { RaymondError } from "../basics/errors.ts";
import type { Fault, OrFault } from "../protocol/fault.ts";
import { dataOf, partsOf, type Values, valueIn } from "../protocol/parts.ts";
import type { ReadElement } from "../protocol/read-element.ts";
import { batchValueProblem } from "../protocol/scan/attributes.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { StateName, Transition } from "../protocol/transition.ts";
import { workflowErrors } from "./errors.ts";
import { type Finding, findState } from "./files/find-state.ts";
import type { Platform } from "./files/platform.ts";
import { type RuleId, stateKind } from "./files/state-file.ts";
import { extensionOf } from "./files/state-name.ts";
import { quoted } from "./quote.ts";

export type Resolution = OrFault<{ readonly name: StateName }>;

/** Resolves a state name: `NEXT` is `NEXT.md` or the script for this platform (docs/protocol.md, "State names"). */
export function resolveState(
  names: readonly StateName[],
  target: string,
  platform: Platform,
): Resolution {
  const finding = findState(names, target, platform);
  if (finding.kind === "found") return { ok: true, name: finding.name };
  // A model and a user read the same sentences.
  const { message, hint = "" } = resolutionError(finding, names, target, platform);
  const code =
    finding.kind === "wrong-platform" ? finding.kind : (`${finding.kind}-state` as const);
  return { ok: false, fault: { code, message: `${message} ${hint}`.trim() } };
}

/** The script that `setup` of a workflow.yaml names. Throws a RaymondError. */
export function resolveSetup(
  names: readonly StateName[],
  setup: string,
  platform: Platform,
): StateName {
  const finding = findState(names, setup, platform);
  if (finding.kind !== "found") throw resolutionError(finding, names, setup, platform);
  if (stateKind(finding.name) === "script") return finding.name;
  throw workflowErrors["workflow/prompt-setup"](finding.name);
}

/** The error for a name that is not found. */
export function resolutionError(
  finding: Exclude<Finding, { kind: "found" }>,
  names: readonly StateName[],
  target: string,
  platform: Platform,
): RaymondError {
  switch (finding.kind) {
    case "unknown":
      return workflowErrors["workflow/unknown-state"](target, names, finding.nearest);
    case "ambiguous":
      return workflowErrors["workflow/ambiguous-state"](target, finding.candidates);
    case "wrong-platform": {
      const { present, usable } = finding;
      return workflowErrors["workflow/wrong-platform"](target, present, platform, usable);
    }
  }
}

/** The lint rule for this fault (docs/lint.md). */
export function ruleOfFault({ code }: Pick<Fault, "code">): RuleId {
  return RULES.get(code) ?? "RAY205";
}

const RULES: ReadonlyMap<Fault["code"], RuleId> = new Map([
  ["unknown-state", "RAY201"],
  ["ambiguous-state", "RAY202"],
  ["wrong-platform", "RAY203"],
  ["bad-workflow", "RAY801"],
]);

/**
 * Resolves all state names of a transition, so that a missing return state is found before the called
 * state costs anything. Checks attributes of batch files; workflow paths are not resolved.
 */
export function resolveTransition(
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): ReadElement {
  const { tag } = transition;
  const files: { -readonly [F in keyof Values]: Values[F] } = {};
  for (const part of partsOf(tag)) {
    const written = valueIn(transition, part);
    if (part.holds !== "state" || written === undefined) continue;
    const found = resolveState(names, written, platform);
    if (found.ok) files[part.field] = found.name;
    else if (part === TAG_TABLE[tag].content) return found;
    else return { ok: false, fault: within(tag, part.name, found.fault) };
  }
  const data = dataOf(transition);
  const fault = data === null ? null : batchFault(files.target ?? "", data);
  return fault === null
    ? { ok: true, transition: { ...transition, ...files } }
    : { ok: false, fault };
}

/** Why a batch file cannot get these attributes; null if it can, and for other states. */
export function batchFault(
  worker: StateName,
  attributes: Readonly<Record<string, string>>,
): Fault | null {
  if (extensionOf(worker) !== ".bat") return null;
  for (const [name, value] of Object.entries(attributes)) {
    const problem = batchValueProblem(value);
    if (problem === null) continue;
    const message = `Invalid attribute ${name} for ${quoted(worker)}: ${problem}`;
    return { code: "malformed-tag", message };
  }
  return null;
}

function within(tag: Transition["tag"], attribute: string, fault: Fault): Fault {
  return {
    code: fault.code,
    message: `Invalid ${attribute} of <${tag}>: ${fault.message}`,
  };
}
