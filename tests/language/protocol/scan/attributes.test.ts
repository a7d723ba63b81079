import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  RESERVED_NAMES,
  RESERVED_PREFIXES,
  RESERVED_SUFFIXES,
} from "../../../../src/language/protocol/reserved-names.ts";
import {
  attributeNameProblem,
  attributeValueProblem,
  batchValueProblem,
  mustBeDeclared,
} from "../../../../src/language/protocol/scan/attributes.ts";
import { propertyRuns } from "../../../support/property-runs.ts";

const anyCase = (word: string) =>
  fc.array(fc.boolean(), { minLength: word.length, maxLength: word.length }).map((upper) =>
    Array.from(word)
      .map((c, i) => (upper[i] ? c.toUpperCase() : c.toLowerCase()))
      .join(""),
  );

const WORDS = ["result", "return", "target", "tag"];

describe("attributeNameProblem", () => {
  it.each([...WORDS, ...RESERVED_NAMES])("rejects the name %s in any case", (word) => {
    fc.assert(
      fc.property(anyCase(word), (name) => {
        expect(attributeNameProblem(name)).toMatch(
          /^".*" is (?:a reserved name|not a valid attribute name): .*\.$/,
        );
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it.each(RESERVED_PREFIXES)("rejects names that start with %s in any case", (prefix) => {
    fc.assert(
      fc.property(anyCase(prefix), fc.stringMatching(/^[A-Za-z0-9_]{0,5}$/), (start, rest) => {
        expect(attributeNameProblem(start + rest)).not.toBeNull();
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it.each(RESERVED_SUFFIXES)("rejects names that end with %s in any case", (suffix) => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_]{0,5}$/), anyCase(suffix), (start, rest) => {
        expect(attributeNameProblem(start + rest)).not.toBeNull();
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it.each(["prompt", "Temp", "errorlevel", "MAKEFLAGS", "TAR_OPTIONS", "http_proxy", "git_x"])(
    "says why %s is refused, and a name that will do",
    (name) => {
      const problem = attributeNameProblem(name) ?? "";

      const [, other = ""] = /Use another name, such as (\w+)\.$/.exec(problem) ?? [];
      expect(problem).toContain("could change what a script executes");
      expect(other).toContain(name);
      expect(attributeNameProblem(other)).toBeNull();
    },
  );

  it("always proposes a valid name", () => {
    const reserved = fc.oneof(
      fc.constantFrom(...RESERVED_NAMES),
      fc.tuple(fc.constantFrom(...RESERVED_PREFIXES), fc.stringMatching(/^\w{0,60}$/)),
      fc.tuple(fc.stringMatching(/^[a-z]\w{0,60}$/), fc.constantFrom(...RESERVED_SUFFIXES)),
    );
    fc.assert(
      fc.property(reserved, (parts) => {
        const problem = attributeNameProblem([parts].flat().join("")) ?? "";
        const [, other = ""] = /such as (\w+)\.$/.exec(problem) ?? [];

        expect(attributeNameProblem(other)).toBeNull();
      }),
    );
  });

  it("documents every name", () => {
    const docs = readFileSync("docs/protocol.md", "utf8");
    const [section = ""] = /## Reserved attribute names\n.*?\n## /s.exec(docs) ?? [];
    const documented = [...section.matchAll(/`([A-Z_a-z0-9]+)`/g)].map(([, name = ""]) => name);
    const all = [...WORDS, ...RESERVED_NAMES, ...RESERVED_PREFIXES, ...RESERVED_SUFFIXES];

    expect(all.filter((name) => !documented.includes(name))).toEqual([]);
  });

  it.each(["", "1a", "a-b", "a b", "é", "a.b", "a\n", `${"x".repeat(999)}-`])(
    "refuses %j, which is no name",
    (name) => {
      const problem = attributeNameProblem(name);

      expect(problem).toMatch(/is not a valid attribute name/);
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
    "prompt_text",
    "template",
    "tmp_folder",
    "date",
    "user",
    "language",
    "editor_name",
    "maker",
    "zipcode",
    "goal",
  ])("permits %s", (name) => {
    expect(attributeNameProblem(name)).toBeNull();
  });
});

describe("mustBeDeclared", () => {
  it.each([
    "RM",
    "YACC",
    "ITEM",
    "A1",
    "_",
    "_1",
    "_AS",
    "TF_VAR_x",
    "CC_x86_64_linux_gnu",
    "LESS_TERMCAP_mb",
  ])("is true of %s, by which a program may be configured", (name) => {
    expect(mustBeDeclared(name)).toBe(true);
  });

  it.each(["item", "priority", "Item", "_item", "itemID", "item_ID", "pullRequest", "a1"])(
    "is false of %s",
    (name) => {
      expect(mustBeDeclared(name)).toBe(false);
    },
  );
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
        "The value of an attribute must not exceed 64 KiB.",
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
      `The value of an attribute for a .bat script must not contain ${char}.`,
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
