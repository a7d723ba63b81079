import type { OutlinedMove, ReadState } from "../outline/outline.ts";
import { isOpen } from "../outline/reach.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import { isComplete } from "../workflow/policy.ts";
import type { Rule } from "../workflow/rule.ts";
import type { LintRule } from "./lint-rule.ts";
import type { Study } from "./study.ts";

/** Of what a prompt says beside what its rules allow. */
export const ALLOWED_RULES: readonly LintRule[] = [
  {
    id: "RAY301",
    severity: "warning",
    title: "a tag in the prompt that no rule allows",
    check: ({ states }) =>
      ruled(states).flatMap(({ state, declared, mentioned }) =>
        mentioned
          .filter((move) => isSure(move) && !declared.some((rule) => allows(rule, move)))
          .map((move) => ({
            source: state.source,
            at: move.at,
            message: `The prompt shows <${move.by}>${described({ ...move, values: {} })}, and no rule allows it.`,
            hint: "Add it to allowed_transitions, or take it out of the prompt.",
          })),
      ),
  },
  {
    id: "RAY302",
    severity: "warning",
    title: "a rule that the prompt never mentions",
    check: ({ states }) =>
      ruled(states).flatMap(({ state, rules, declared, mentioned }) => {
        // One that leaves nothing open need not be said.
        if (rules.length === 1 && rules.every(isComplete)) return [];
        return declared
          .filter((rule) => isSure(rule) && !mentioned.some((move) => allows(rule, move)))
          .map((move) => ({
            source: state.source,
            at: move.at,
            message: `The prompt never mentions <${move.by}>${described(move)}, so the model does not know of it.`,
            hint: "Say in the prompt when it is to be emitted, and how, or take the rule away.",
          }));
      }),
  },
  {
    id: "RAY303",
    severity: "warning",
    title: "a rule that leaves open what nobody says",
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
              message: `This rule for <${move.by}> leaves its ${roles.join(" and ")} open, and the prompt names none.`,
              hint: "Name the state in the rule, or in the prompt by a tag.",
            };
          }),
      ),
  },
  {
    id: "RAY304",
    severity: "warning",
    title: "a rule that another one hides",
    check: ({ states }) => ruled(states).flatMap(hiddenRules),
  },
];

interface Ruled {
  readonly state: ReadState;
  readonly rules: readonly Rule[];
  readonly declared: readonly OutlinedMove[];
  readonly mentioned: readonly OutlinedMove[];
}

function ruled(states: Study["states"]): readonly Ruled[] {
  return states.flatMap((state) => {
    const { file, moves } = state;
    if (file.kind === "script" || file.rules === null || file.body.trim() === "") return [];
    const declared = moves.filter(({ rule }) => rule !== null);
    const mentioned = moves.filter(({ origin }) => origin === "mentioned");
    return [{ state, rules: file.rules, declared, mentioned }];
  });
}

/** Whether a move says where it leads, and to states that are there: others tell of the rest. */
function isSure(move: OutlinedMove): boolean {
  return !isOpen(move) && move.destinations.every(({ fault }) => fault === null);
}

/** Whether such a tag, as far as it is written, meets the rule; what is left open meets all. */
function allows(rule: OutlinedMove, move: OutlinedMove): boolean {
  if (rule.by !== move.by) return false;
  // Of a state that is not there another rule tells.
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
    const message = `This rule for <${later.by}> is never the one that counts: what it allows, the rule in line ${String(earlier.at.line)} allows first.`;
    const hint = "Take one of the two away, or put the one that says more first.";
    return [{ source: state.source, at: later.at, message, hint }];
  });
}

/** Whether all that meets the one meets the other, too. */
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

/** Attributes are conditions of what starts an agent only. */
function coversData(wide: Rule, narrow: Rule): boolean {
  if (!TAG_TABLE[wide.tag].takesData) return true;
  return Object.entries(wide.attributes).every(([name, value]) => {
    const other = Object.hasOwn(narrow.attributes, name) ? narrow.attributes[name] : undefined;
    return other !== undefined && (value === "" || value === other);
  });
}

function described({ destinations, values }: OutlinedMove): string {
  const target = destinations.find(({ role }) => role === "target")?.written ?? values["payload"];
  return target === undefined ? "" : ` (${target})`;
}
