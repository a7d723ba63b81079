import { batchValueProblem } from "../protocol/attributes.ts";
import type { Fault } from "../protocol/fault.ts";
import type { StateName, Transition } from "../protocol/transition.ts";
import { AmbiguousStateError, UnknownStateError, WrongPlatformError } from "./errors.ts";
import { findState } from "./find-state.ts";
import type { Platform } from "./platform.ts";
import { quoted } from "./quote.ts";
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

/**
 * The transition with `target`, `return` and `next` as names of state files, so
 * that a missing return state is found before the callee is paid for. A worker
 * that is a batch file takes only values that `cmd` cannot misread.
 */
export function resolveTransition(
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): ResolvedTransition {
  if (transition.tag === "result") return { ok: true, transition };

  const target = resolveState(names, transition.target, platform);
  if (!target.ok) return target;

  switch (transition.tag) {
    case "goto":
    case "reset":
      return { ok: true, transition: { ...transition, target: target.name } };
    case "call":
    case "function": {
      const back = resolveState(names, transition.returnTo, platform);
      if (!back.ok) return { ok: false, fault: within(transition.tag, "return", back.fault) };
      return { ok: true, transition: { ...transition, target: target.name, returnTo: back.name } };
    }
    case "fork": {
      const next = resolveState(names, transition.next, platform);
      if (!next.ok) return { ok: false, fault: within("fork", "next", next.fault) };
      const fault = batchFault(target.name, transition.attributes);
      if (fault !== null) return { ok: false, fault };
      return { ok: true, transition: { ...transition, target: target.name, next: next.name } };
    }
  }
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
