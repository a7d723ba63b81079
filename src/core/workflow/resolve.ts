import { batchValueProblem } from "../protocol/attributes.ts";
import type { Fault } from "../protocol/fault.ts";
import { dataOf, partsOf, type Values, valueIn } from "../protocol/parts.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { StateName, Transition } from "../protocol/transition.ts";
import { AmbiguousStateError, UnknownStateError, WrongPlatformError } from "./errors.ts";
import { findState } from "./find-state.ts";
import type { Platform } from "./platform.ts";
import { quoted } from "./quote.ts";
import type { RuleId } from "./state-file.ts";
import { extensionOf } from "./state-name.ts";

export type Resolution =
  | { readonly ok: true; readonly name: StateName }
  | { readonly ok: false; readonly fault: Fault };

export type ResolvedTransition =
  | { readonly ok: true; readonly transition: Transition }
  | { readonly ok: false; readonly fault: Fault };

/**
 * The state file that a target means: `NEXT` is `NEXT.md`, or the script that
 * runs on this platform (docs/protocol.md, "Which file a name means"). The fault
 * names what was looked for, what there is, and the nearest name.
 */
export function resolveState(
  names: readonly StateName[],
  target: string,
  platform: Platform,
): Resolution {
  const finding = findState(names, target, platform);
  switch (finding.kind) {
    case "found":
      return { ok: true, name: finding.name };
    case "unknown":
      return no("unknown-state", new UnknownStateError(target, names, finding.nearest));
    case "ambiguous":
      return no("ambiguous-state", new AmbiguousStateError(target, finding.candidates));
    case "wrong-platform": {
      const { present, usable } = finding;
      return no("wrong-platform", new WrongPlatformError(target, present, platform, usable));
    }
  }
}

/** The lint rule that finds the same fault in a file (docs/lint.md). */
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
 * The transition with `target`, `return` and `next` as names of state files, so
 * that a missing return state is found before the callee is paid for. A worker
 * that is a batch file takes only values that `cmd` cannot misread. The path of
 * another workflow stays as it is.
 */
export function resolveTransition(
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): ResolvedTransition {
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

/** Why a batch file cannot be given these attributes; `null` for any other worker. */
export function batchFault(
  worker: StateName,
  attributes: Readonly<Record<string, string>>,
): Fault | null {
  if (extensionOf(worker) !== ".bat") return null;
  for (const [name, value] of Object.entries(attributes)) {
    const problem = batchValueProblem(value);
    if (problem === null) continue;
    const message = `The attribute ${name} goes to ${quoted(worker)}. ${problem}`;
    return { code: "malformed-tag", message };
  }
  return null;
}

/** The words of the error, so that a model and a user read the same sentences. */
function no(
  code: Fault["code"],
  error: UnknownStateError | AmbiguousStateError | WrongPlatformError,
): Resolution {
  return { ok: false, fault: { code, message: `${error.message} ${error.hint ?? ""}`.trim() } };
}

function within(tag: Transition["tag"], attribute: string, fault: Fault): Fault {
  return {
    code: fault.code,
    message: `In <${tag}>, ${attribute} cannot be used: ${fault.message}`,
  };
}
