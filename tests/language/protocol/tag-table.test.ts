import { describe, expect, it } from "vitest";
import { readTransitions } from "../../../src/language/protocol/output-elements.ts";
import { companionOf, partsOf } from "../../../src/language/protocol/parts.ts";
import { printTransition } from "../../../src/language/protocol/print.ts";
import { OutputScanner } from "../../../src/language/protocol/scan/scan.ts";
import { TAG_TABLE } from "../../../src/language/protocol/tag-table.ts";
import { TAGS } from "../../../src/language/protocol/transition.ts";
import { fullTransition, tagText } from "./declared-tags.ts";

function read(text: string) {
  const scanner = new OutputScanner();
  scanner.push(text);
  return readTransitions(scanner.end());
}

function problemOf(text: string): string {
  const parsed = read(text);
  return parsed.ok ? "none" : parsed.fault.message;
}

describe.each(TAGS)("the declaration of <%s>", (tag) => {
  const [content, ...own] = partsOf(tag);
  const { startsAgent, example } = TAG_TABLE[tag];

  it("has a valid example", () => {
    expect(read(example)).toMatchObject({ ok: true, transitions: [{ tag }] });
  });

  it("declares all printed and parsed parts", () => {
    const transition = fullTransition(tag);
    const text = printTransition(transition);

    expect(read(text)).toEqual({ ok: true, transitions: [transition] });
    for (const { name } of own) expect(text).toContain(` ${name}=`);
    expect(text.includes(' item="7"')).toBe(startsAgent);
  });

  it("declares required attributes", () => {
    for (const part of own) {
      const { name, required } = part;
      const other = companionOf(part);
      if (other !== null) {
        const lonely = `<${tag}> has ${other} but no ${name}. Use both or neither.`;
        expect(problemOf(tagText(tag, { [name]: null })), name).toBe(lonely);
        expect(problemOf(tagText(tag, { [name]: null, [other]: null })), name).toBe("none");
        continue;
      }
      const alone = required === "alone" ? ", or another tag for the next state of the agent" : "";
      const expected =
        required === false ? "none" : `<${tag}> requires the attribute ${name}${alone}.`;
      expect(problemOf(tagText(tag, { [name]: null })), name).toBe(expected);
      const beside = `${tagText(tag, { [name]: null })}<result/>`;
      if (required === "alone") expect(problemOf(beside), name).toBe("none");
    }
  });

  it("declares state names", () => {
    for (const { name, holds } of [content, ...own]) {
      const problem = problemOf(tagText(tag, { [name]: "sub/A.md" }));
      if (holds === "state") expect(problem, name).toMatch(/must be the name of a state/);
      else if (holds === "choice") expect(problem, name).toMatch(/must be .* or .*, not "sub/);
      else if (holds === "count")
        expect(problem, name).toMatch(/must be a non-negative integer.*"sub/);
      else if (holds === "duration") expect(problem, name).toMatch(/must be a duration .*"sub/);
      else if (holds === "worktree")
        expect(problem, name).toMatch(/must be true, false, or a name of .*, not "sub/);
      else expect(problem, name).toBe("none");
    }
  });

  it("declares whether other attributes are allowed", () => {
    const problem = problemOf(tagText(tag, { x_item: "7" }));

    expect(problem).toBe(startsAgent ? "none" : `Unknown attribute x_item of <${tag}>.`);
  });

  it("declares whether an output can have several", () => {
    const twice = `${tagText(tag)}\n${tagText(tag)}`;

    expect(read(twice).ok).toBe(TAG_TABLE[tag].startsAgent);
  });

  it("declares whether content can contain tags", () => {
    const parsed = read(tagText(tag, { [content.name]: "<goto>B.md</goto>" }));

    expect(parsed).toMatchObject({
      transitions: [content.holds === "text" ? { tag } : { tag: "goto", target: "B.md" }],
    });
  });
});
