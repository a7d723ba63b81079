import { isOpen, type OutlinedMove, type ReadState } from "../../language/outline/outline.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import { isComplete } from "../../language/workflow/policy/policy.ts";
import type { Rule } from "../../language/workflow/policy/rule.ts";
import type { LintContext, LintRule } from "./lint-context.ts";

/** Rules that compare the tags of a prompt with its `allowed_transitions`. */
export const ALLOWED_RULES: readonly LintRule[] = [
  {
    id: "RAY301",
    severity: "warning",
    title: "tag not allowed by any rule",
    check: ({ states }) =>
      ruled(states).flatMap(({ state, declared, mentioned }) =>
        mentioned
          .filter((move) => isSure(move) && !declared.some((rule) => allows(rule, move)))
          .map((move) => ({
            source: state.source,
            at: move.at,
            message: `The prompt mentions <${move.by}>${described({ ...move, values: {} })}, but no rule allows it.`,
            hint: "Add it to allowed_transitions, or remove it from the prompt.",
          })),
      ),
  },
  {
    id: "RAY302",
    severity: "warning",
    title: "rule not mentioned in the prompt",
    check: ({ states }) =>
      ruled(states).flatMap(({ state, rules, declared, mentioned }) => {
        // A single complete rule is implied: the prompt does not need to mention it.
        if (rules.length === 1 && rules.every(isComplete)) return [];
        return declared
          .filter((rule) => isSure(rule) && !mentioned.some((move) => allows(rule, move)))
          .map((move) => ({
            source: state.source,
            at: move.at,
            message: `The rule for <${move.by}>${described(move)} is not mentioned in the prompt, so the model does not know about it.`,
            hint: "Explain in the prompt when to emit this tag, or remove the rule.",
          }));
      }),
  },
  {
    id: "RAY303",
    severity: "warning",
    title: "target missing in rule and prompt",
    check: ({ states }) =>
      ruled(states).flatMap(({ state, declared, mentioned }) =>
        declared
          .filter((rule) => isOpen(rule) && !mentioned.some((move) => allows(rule, move)))
          .map((move) => {
            const roles = move.destinations.flatMap(({ role, written }) =>
              written === null ? [role] : [],
            );
            return {
              source: state.source,
              at: move.at,
              message: `The rule for <${move.by}> has no ${roles.join(" and no ")}, and the prompt names none either.`,
              hint: "Name the state in the rule, or in a tag in the prompt.",
            };
          }),
      ),
  },
  {
    id: "RAY304",
    severity: "warning",
    title: "shadowed rule",
    check: ({ states }) => ruled(states).flatMap(hiddenRules),
  },
];

interface Ruled {
  readonly state: ReadState;
  readonly rules: readonly Rule[];
  readonly declared: readonly OutlinedMove[];
  readonly mentioned: readonly OutlinedMove[];
}

function ruled(states: LintContext["states"]): readonly Ruled[] {
  return states.flatMap((state) => {
    const { file, moves } = state;
    if (file.kind === "script" || file.rules === null || file.body.trim() === "") return [];
    const declared = moves.filter(({ rule }) => rule !== null);
    const mentioned = moves.filter(({ origin }) => origin === "mentioned");
    return [{ state, rules: file.rules, declared, mentioned }];
  });
}

/** Whether a move names existing states only. RAY201 to RAY203 report the others. */
function isSure(move: OutlinedMove): boolean {
  return !isOpen(move) && move.destinations.every(({ fault }) => fault === null);
}

/** Whether the rule allows the tag. Parts that the tag leaves open match everything. */
function allows(rule: OutlinedMove, move: OutlinedMove): boolean {
  if (rule.by !== move.by) return false;
  // RAY201 reports states that do not exist.
  const alike = rule.destinations.every(({ role, state }) => {
    const other = move.destinations.find((one) => one.role === role);
    return state === null || other === undefined || other.written === null || other.state === state;
  });
  const payload = rule.rule?.payload?.trim();
  const said = move.values["payload"]?.trim();
  return alike && (payload === undefined || said === undefined || said === "" || said === payload);
}

function hiddenRules({ state, declared }: Ruled): ReturnType<LintRule["check"]> {
  return declared.flatMap((later, index) => {
    const earlier = declared.slice(0, index).find((one) => covers(one, later));
    if (earlier === undefined) return [];
    const message = `The rule for <${later.by}> never applies: the rule in line ${String(earlier.at.line)} matches first.`;
    const hint = "Remove one of the two rules, or move the more specific one up.";
    return [{ source: state.source, at: later.at, message, hint }];
  });
}

/** Whether every transition that matches `narrow` also matches `wide`. */
function covers(wide: OutlinedMove, narrow: OutlinedMove): boolean {
  if (wide.by !== narrow.by || wide.rule === null || narrow.rule === null) return false;
  const [one, other] = [wide.rule, narrow.rule];
  const states = wide.destinations.every(({ role, written, state, fault }) => {
    if (written === null || role === "verify" || role === "on_fail") return true;
    const same = narrow.destinations.find((each) => each.role === role);
    return fault === null && same?.state === state;
  });
  const payload = one.payload === undefined || one.payload.trim() === other.payload?.trim();
  return states && payload && coversData(one, other);
}

/** Attributes are conditions only for tags that start an agent. */
function coversData(wide: Rule, narrow: Rule): boolean {
  if (!TAG_TABLE[wide.tag].startsAgent) return true;
  return Object.entries(wide.attributes).every(([name, value]) => {
    const other = Object.hasOwn(narrow.attributes, name) ? narrow.attributes[name] : undefined;
    return other !== undefined && (value === "" || value === other);
  });
}

function described({ destinations, values }: OutlinedMove): string {
  const target = destinations.find(({ role }) => role === "target")?.written ?? values["payload"];
  return target === undefined ? "" : ` (${target})`;
}
