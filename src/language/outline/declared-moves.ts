import { isText, partsOf } from "../protocol/parts.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "../workflow/files/platform.ts";
import type { StateFile } from "../workflow/files/state-file.ts";
import type { Rule } from "../workflow/policy/rule.ts";
import { resolveState } from "../workflow/resolve.ts";
import type { Destination, OutlinedMove, Role } from "./outline.ts";

/** The moves that a state declares: its rules, `on_error` and `on_context`. */
export function declaredMoves(
  file: StateFile,
  names: readonly StateName[],
  platform: Platform,
): readonly OutlinedMove[] {
  const to = (role: Role, written: string) => destination(role, written, names, platform);
  const byKey = (by: "on_error" | "on_context", key: Key | null): readonly OutlinedMove[] => {
    if (key === null) return [];
    const destinations = [to("target", key.target)];
    return [{ ...NOTHING_ELSE, by, at: key.at, destinations, rule: null }];
  };
  switch (file.kind) {
    case "script":
      return byKey("on_error", file.onError);
    case "prompt":
      return [
        ...(file.rules ?? []).map((rule): OutlinedMove => {
          const destinations = ruledDestinations(rule, to);
          const values = valuesOf(rule);
          return {
            ...{ ...NOTHING_ELSE, by: rule.tag, at: rule.at },
            ...{ destinations, values, rule },
          };
        }),
        ...byKey("on_context", file.context),
      ];
  }
}

type Key = Pick<OutlinedMove, "at"> & { readonly target: string };

const NOTHING_ELSE = { origin: "declared", values: {}, problem: null } as const;

export function destination(
  role: Role,
  written: string,
  names: readonly StateName[],
  platform: Platform,
): Destination {
  const found = resolveState(names, written, platform);
  return found.ok
    ? { role, written, state: found.name, fault: null }
    : { role, written, state: null, fault: found.fault };
}

/** A destination without a name. */
export function openDestination(role: Role): Destination {
  return { role, written: null, state: null, fault: null };
}

function ruledDestinations(
  rule: Rule,
  to: (role: Role, written: string) => Destination,
): readonly Destination[] {
  const named = partsOf(rule.tag).flatMap((part) => {
    if (part.holds !== "state") return [];
    const written = rule[part.field];
    if (written !== undefined) return [to(part.name, written)];
    return part.required === true ? [openDestination(part.name)] : [];
  });
  const { verify } = rule;
  if (verify === undefined) return named;
  const onFail = verify.onFail === null ? [] : [to("on_fail", verify.onFail)];
  return [...named, to("verify", verify.state), ...onFail];
}

function valuesOf(rule: Rule): OutlinedMove["values"] {
  const texts = partsOf(rule.tag).flatMap((part) => {
    const isField = isText(part) || part.holds === "workflow";
    const text = isField ? rule[part.field] : undefined;
    return text === undefined ? [] : [[part.name, text] as const];
  });
  return { ...Object.fromEntries(texts), ...rule.attributes };
}
