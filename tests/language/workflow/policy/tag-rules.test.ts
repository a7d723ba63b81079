import { describe, expect, it } from "vitest";
import { isText, partsOf, transitionOf } from "../../../../src/language/protocol/parts.ts";
import { TAG_TABLE } from "../../../../src/language/protocol/tag-table.ts";
import { type Part, TAGS, type Tag } from "../../../../src/language/protocol/transition.ts";
import { parseStateFile } from "../../../../src/language/workflow/files/parse-state-file.ts";
import {
  completeByRule,
  impliedTransition,
  printRules,
} from "../../../../src/language/workflow/policy/policy.ts";
import { reminderText } from "../../../../src/language/workflow/policy/reminder.ts";
import type { Rule } from "../../../../src/language/workflow/policy/rule.ts";
import { resolveTransition } from "../../../../src/language/workflow/resolve.ts";
import { allows } from "../../../support/workflow/rules.ts";
import { A_VALUE, aValue, fullTransition } from "../../protocol/declared-tags.ts";

/** The one rule of a prompt whose front matter has these keys for it. */
function ruleOf(tag: Tag, keys: Readonly<Record<string, string>>): Rule {
  const pairs = Object.entries({ tag, ...keys }).map(([key, value]) => `${key}: "${value}"`);
  const text = `---\nallowed_transitions: [{ ${pairs.join(", ")} }]\n---\nDo it.`;
  const file = parseStateFile("START.md", text);
  if (file.kind !== "prompt" || file.rules?.[0] === undefined) throw new Error("no rule was read");
  return file.rules[0];
}

const names = [A_VALUE, "B.md"];

describe.each(TAGS)("a rule for <%s>", (tag) => {
  const parts = partsOf(tag);
  const { content, startsAgent } = TAG_TABLE[tag];
  const everything = Object.fromEntries(parts.map((part) => [part.name, aValue(part)]));
  /** What a rule for this tag always has: which workflow runs is not for a model to choose. */
  const always =
    content.holds === "workflow"
      ? { [content.name]: aValue(content) }
      : ({} as Record<string, string>);
  const isGiven = (part: Part) => isText(part) && !part.required;

  it("may name each part that the declaration has, and then implies the transition", () => {
    const rule = ruleOf(tag, { ...everything, ...(startsAgent && { item: "7" }) });

    const implied = impliedTransition([rule]);
    expect(implied && completeByRule(implied, rule, {})).toEqual(fullTransition(tag));
    expect(allows([rule], fullTransition(tag), names, "unix")).toBe(true);
  });

  it("has no other keys, unless the tag starts an agent", () => {
    const parse = () => ruleOf(tag, { ...always, other: "x" });

    if (startsAgent) expect(parse().attributes).toEqual({ other: "x" });
    else expect(parse).toThrow(`Unknown key "other" in a rule for <${tag}>.`);
  });

  it("is met only by the states and the payload that it names", () => {
    for (const { name, holds, required } of parts) {
      const fixed = holds === "state" || holds === "workflow" || holds === "text";
      if (!fixed || required === false) continue;
      const rule = ruleOf(tag, { ...always, [name]: "B.md" });
      expect(allows([rule], fullTransition(tag), names, "unix"), name).toBe(false);
    }
  });

  it("is shown with a placeholder for each required part that it leaves open", () => {
    const rule = ruleOf(tag, always);
    const [shown = ""] = printRules([rule]);
    const reminder = reminderText({ code: "no-tag", message: "None." }, [rule]);

    expect(reminder).toContain(shown);
    for (const part of parts) {
      const { name, required, open } = part;
      if (part.holds === "workflow") continue;
      if (name !== content.name)
        expect(shown.includes(` ${name}="${open}"`)).toBe(required !== false);
      // Where nothing is left open nothing is explained.
      const complete = content.holds === "workflow" && part.holds === "folder";
      if (required !== false || (part.holds === "folder" && !complete))
        expect(reminder.split("\n").at(-1)).toContain(open);
    }
    const within = always[content.name] ?? content.open;
    expect(shown).toContain(`>${within}</${tag}>`);
  });

  it("adds its texts to a tag without them, and does not show them to the model", () => {
    for (const { field, name } of parts.filter(isGiven)) {
      const rule = ruleOf(tag, { ...everything, [name]: "for {{item}}" });
      const transition = impliedTransition([rule]) ?? fullTransition(tag);
      const values = { item: "7" };

      expect(completeByRule(transition, rule, values)).toMatchObject({ [field]: "for 7" });
      expect(completeByRule(fullTransition(tag), rule, values)).toEqual(fullTransition(tag));
      expect(printRules([rule])[0]).not.toContain(` ${name}=`);
    }
  });

  it("is for a transition whose states are all looked up", () => {
    for (const { field, name, holds } of parts) {
      if (holds !== "state") continue;
      const values = Object.fromEntries(parts.map((part) => [part.field, A_VALUE]));
      const lost = transitionOf(tag, { ...values, [field]: "NONE" }, {});
      const resolved = resolveTransition(lost, names, "unix");
      expect(resolved, name).toMatchObject({ ok: false, fault: { code: "unknown-state" } });
    }
  });
});
