import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attributeNameProblem,
  attributeValueProblem,
  batchValueProblem,
} from "../../../src/core/protocol/attributes.ts";

const anyCase = (word: string) =>
  fc.array(fc.boolean(), { minLength: word.length, maxLength: word.length }).map((upper) =>
    Array.from(word)
      .map((c, i) => (upper[i] ? c.toUpperCase() : c.toLowerCase()))
      .join(""),
  );

const NAMES =
  "result return target tag PATH HOME SHELL SHELLOPTS BASHOPTS IFS ENV BASH_ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND CDPATH TMPDIR EDITOR VISUAL PAGER COMSPEC PATHEXT CLAUDECODE";
const PREFIXES =
  "RAYMOND_ LD_ DYLD_ BASH_ GIT_ SSH_ PYTHON PERL RUBY NODE_ NPM_ LESS ANTHROPIC_ CLAUDE_";

describe("attributeNameProblem", () => {
  it.each(NAMES.split(" "))("refuses the name %s, whatever the case", (word) => {
    fc.assert(
      fc.property(anyCase(word), (name) => {
        expect(attributeNameProblem(name)).toMatch(/^".*" cannot be .*\.$/);
      }),
      { numRuns: 20 },
    );
  });

  it.each(PREFIXES.split(" "))("refuses names that begin with %s, whatever the case", (prefix) => {
    fc.assert(
      fc.property(anyCase(prefix), fc.stringMatching(/^[A-Za-z0-9_]{0,5}$/), (start, rest) => {
        expect(attributeNameProblem(start + rest)).not.toBeNull();
      }),
      { numRuns: 20 },
    );
  });

  it.each(["HTTP_PROXY", "all_proxy", "_PROXY"])("refuses %s, which ends in _PROXY", (name) => {
    expect(attributeNameProblem(name)).not.toBeNull();
  });

  it.each(["", "1a", "a-b", "a b", "é", "a.b", "a\n", `${"x".repeat(999)}-`])(
    "refuses %j, which is no name",
    (name) => {
      const problem = attributeNameProblem(name);

      expect(problem).toMatch(/is not the name of an attribute/);
      expect(problem?.length).toBeLessThan(200);
    },
  );

  it.each([
    "item",
    "task_id",
    "_",
    "A1",
    "path2",
    "homes",
    "PS5",
    "my_path",
    "proxy",
    "results",
    "git",
  ])("permits %s", (name) => {
    expect(attributeNameProblem(name)).toBeNull();
  });
});

describe("attributeValueProblem", () => {
  it.each(["", "a", "line\nline", "x".repeat(65_536), "é".repeat(32_768)])(
    "permits up to 64 KiB",
    (value) => {
      expect(attributeValueProblem(value)).toBeNull();
    },
  );

  it.each(["x".repeat(65_537), "é".repeat(32_769), "€".repeat(21_846)])(
    "counts bytes, not letters",
    (value) => {
      expect(attributeValueProblem(value)).toBe(
        "The value of an attribute cannot be longer than 64 KiB.",
      );
    },
  );

  it("refuses NUL", () => {
    expect(attributeValueProblem("a\0b")).toMatch(/NUL/);
  });
});

describe("batchValueProblem", () => {
  it.each(Array.from('%&|<>^"!'))("refuses %s, which cmd.exe would execute", (char) => {
    expect(batchValueProblem(`a${char}b`)).toBe(
      `The value of an attribute for a .bat script cannot hold ${char}.`,
    );
  });

  it.each(["a\nb", "a\rb"])("refuses a line end", (value) => {
    expect(batchValueProblem(value)).toMatch(/a line end\.$/);
  });

  it("permits everything else", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^%&|<>^"!\r\n]*$/), (value) => {
        expect(batchValueProblem(value)).toBeNull();
      }),
    );
  });
});
