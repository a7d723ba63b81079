import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { InvalidFileError } from "../../../src/language/workflow/errors.ts";
import { parsePrompt, readBlock } from "../../../src/language/workflow/front-matter.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const parse = (text: string) => parsePrompt("S.md", text);

/** The error of a text that must have one. */
function failure(text: string): InvalidFileError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof InvalidFileError) return error;
    throw error;
  }
  throw new Error("it was read without an error");
}

/** Front matter of these lines, which begin in line 2 of the file. */
const block = (...lines: readonly string[]) => ["---", ...lines, "---", "Do it.", ""].join("\n");

describe("parsePrompt", () => {
  it("refuses a container, which only scripts can have", () => {
    expect(failure(block("model: opus", "container: alpine")).message).toContain(
      "S.md:3:1: container applies only to scripts",
    );
  });

  it("reads every key", () => {
    const file = parse(
      block(
        "allowed_transitions:",
        "  - { tag: goto, target: NEXT.md }",
        "  - tag: call",
        "    target: SUB",
        "    return: BACK",
        "  - { tag: fork, target: WORK, next: MORE, cd: /repo, item: '' }",
        "  - { tag: reset, target: A, cd: sub }",
        "  - { tag: result }",
        "agent: [claude, codex]",
        "model: haiku",
        "effort: xhigh",
        "timeout: 1h30m",
        "budget: 2.50",
        "max_visits: 20",
        "sandbox: { write: [dist], network: off }",
        "max_context: 120k",
        "on_context: HANDOFF",
        "permissions: read-only",
        "allow: ['command( npm test *)', write(docs)]",
        "deny: []",
        "tools: [Read, 'Bash(git log:*)']",
        "allowed_tools: [Edit]",
        "disallowed_tools: []",
        "require_mcp: [tickets, ' plugin:a:b ']",
        "env: { pass: [A], secret: [A] }",
        "fallback_model: sonnet",
        "max_turns: 40",
        "on_denied: ask",
      ),
    );

    expect(file).toEqual({
      kind: "prompt",
      name: "S.md",
      rules: [
        { tag: "goto", target: "NEXT.md", attributes: {}, at: { line: 3, column: 5 } },
        {
          tag: "call",
          target: "SUB",
          returnTo: "BACK",
          attributes: {},
          at: { line: 4, column: 5 },
        },
        {
          tag: "fork",
          target: "WORK",
          next: "MORE",
          attributes: { cd: "/repo", item: "" },
          at: { line: 7, column: 5 },
        },
        { tag: "reset", target: "A", attributes: { cd: "sub" }, at: { line: 8, column: 5 } },
        { tag: "result", attributes: {}, at: { line: 9, column: 5 } },
      ],
      agents: ["claude", "codex"],
      model: "haiku",
      effort: "xhigh",
      timeoutMs: 5_400_000,
      budgetMicroUsd: 2_500_000,
      maxVisits: 20,
      sandbox: { write: ["dist"], network: false },
      context: {
        limit: { kind: "tokens", tokens: 120_000 },
        target: "HANDOFF",
        at: { line: 18, column: 13 },
      },
      permissions: {
        level: "read-only",
        allow: ["command(npm test *)", "write(docs)"],
        deny: [],
        at: { line: 19, column: 1 },
      },
      tools: ["Read", "Bash(git log:*)"],
      allowedTools: ["Edit"],
      disallowedTools: [],
      requiredServers: ["tickets", "plugin:a:b"],
      env: { pass: ["A"], set: {}, secret: ["A"] },
      fallbackModel: "sonnet",
      maxTurns: 40,
      onDenied: "ask",
      body: "Do it.\n",
      bodyLine: 31,
      bodyColumn: 1,
      warnings: [],
    });
  });

  it.each([
    ["blanks after the delimiter", "---  \n"],
    ["blank lines before", "\n \t\n---\n"],
    ["an HTML comment before", "<!-- license -->\n---\n"],
    ["an HTML comment of several lines before", "<!--\nlicense\n\n-->\n\n---\n"],
    ["a comment of YAML before", "# a\n---\n"],
    ["two byte order marks", "\uFEFF\uFEFF---\n"],
    ["an invisible character", "\u200b---\n"],
    ["a no-break space", "\u00a0---\n"],
    ["an indent", "  ---\n"],
    ["a comment after the delimiter", "--- # limits\n"],
    ["a longer delimiter", "----\n"],
    ["a dash of an editor", "\u2014\n"],
    ["blanks and CRLF", "--- \r\n"],
  ])("refuses front matter that would be ignored: %s", (_, start) => {
    const key = "permissions: read-only\n";
    const misplaced = /must start in line 1/;

    expect(() => parse(`${start}${key}---\nDo it.`)).toThrow(misplaced);
    expect(() => parse(`${start}# about\n\n${key}--- \nDo it.`)).toThrow(misplaced);
    expect(() => parse(`${start}${key}Do it.`)).toThrow(misplaced);
    expect(() => parse(`${start}permision: read-only\n---\nDo it.`)).toThrow(misplaced);
    expect(() => parse(`${start}permision: read-only\nDo it.`)).not.toThrow();
  });

  it("refuses front matter of TOML", () => {
    expect(() => parse('+++\npermissions = "read-only"\n+++\nDo it.')).toThrow(/must start/);
  });

  it.each([
    ["no front matter", "Do it.\n", "Do it.\n"],
    ["an empty file", "", ""],
    ["an empty block", "---\n---\nDo it.", "Do it."],
    ["a block of comments", "---\n# nothing\n#\n---\nDo it.", "Do it."],
    ["a block and no body", "---\n---", ""],
    ["leading blank lines", "---\n---\n\n \t\n  Do it.\n\n", "  Do it.\n\n"],
    ["leading blank lines alone", "\n\nDo it.", "Do it."],
    ["a rule further down", "Do it.\n---\nmodel: x\n---\n", "Do it.\n---\nmodel: x\n---\n"],
    ["a line of dashes after blank lines", "\n---\nDo it.\n---\n", "---\nDo it.\n---\n"],
    ["an example after text", "Write:\n\n---\nmodel: x\n---\n", "Write:\n\n---\nmodel: x\n---\n"],
    ["a comment", "<!-- a\nb -->\nDo it.", "<!-- a\nb -->\nDo it."],
    ["a longer line of dashes", "----\nDo it.", "----\nDo it."],
    ["a sentence after dashes", "--- hello there ---\nDo it.", "--- hello there ---\nDo it."],
    ["a byte order mark and CRLF", "\uFEFF---\r\n---\r\nDo it.\r\nNow.", "Do it.\nNow."],
    ["line ends of old", "---\r---\rDo it.", "Do it."],
  ])("reads the body of a file with %s", (_, text, body) => {
    expect(parse(text)).toMatchObject({ body, rules: null, model: null, timeoutMs: null });
  });

  it.each([
    ["Do it.", 1],
    ["\n\nDo it.", 3],
    ["---\nmodel: a\n---\nDo it.", 4],
    ["---\r\nmodel: a\r\n---\r\n\r\nDo it.\r\n", 5],
    ["---\nmodel: a\n---", 3],
    ["---\nmodel: a\n---\n", 4],
    ["", 1],
  ])("knows the line in which the body of %j begins", (text, bodyLine) => {
    expect(parse(text)).toMatchObject({ bodyLine });
  });

  it("names the file by the path that it is given", () => {
    expect(() => parsePrompt("S.md", "---\nmodel: [1]\n---\n", "/w/S.md")).toThrow(
      /^\/w\/S\.md:2:8: /,
    );
  });

  it("closes only at a line of exactly ---", () => {
    const text = block("# ----", "# --- not yet", "model: |-", "  opus", "  ---- x");

    expect(parse(text)).toMatchObject({ model: "opus\n---- x", body: "Do it.\n" });
  });

  it("does not close at a longer line of dashes", () => {
    expect(failure(block("model: opus", "----")).line).toBe(3);
  });

  it("reads scalars as written text", () => {
    const file = parse(
      block(
        "allowed_transitions:",
        "  - { tag: fork, target: 2024-01-01, next: 1_000, a: yes, b: null, c: 0x10, d: 1.50, e: ~, f: }",
      ),
    );

    expect(file.rules).toEqual([
      {
        tag: "fork",
        target: "2024-01-01",
        next: "1_000",
        attributes: { a: "yes", b: "null", c: "0x10", d: "1.50", e: "~", f: "" },
        at: { line: 3, column: 5 },
      },
    ]);
  });

  it.each([
    ["90", 90_000],
    ["'90'", 90_000],
    ["500ms", 500],
    ["0", 0],
  ])("reads timeout: %s", (written, timeoutMs) => {
    expect(parse(block(`timeout: ${written}`)).timeoutMs).toBe(timeoutMs);
  });

  it.each([
    ["10", 10_000_000],
    ["0.000001", 1],
    ["'0.5'", 500_000],
    ["1000000000", 1e15],
  ])("reads budget: %s", (written, budgetMicroUsd) => {
    expect(parse(block(`budget: ${written}`))).toMatchObject({ budgetMicroUsd, maxVisits: null });
  });

  it.each(["0", "0.0000001", "-1", "$5", "lots", "1e3", "1000000001", "none", "[1]", "~"])(
    "refuses budget: %s, which must never become another one",
    (written) => {
      expect(failure(block("model: opus", `budget: ${written}`))).toMatchObject({
        line: 3,
        message: expect.stringContaining("number of dollars above 0") as string,
        hint: expect.stringContaining("budget: 2.50") as string,
      });
    },
  );

  it.each(["0", "-3", "1.5", "1_000", "often", "1000000000", "{ a: 1 }"])(
    "refuses max_visits: %s",
    (written) => {
      expect(failure(block(`max_visits: ${written}`))).toMatchObject({
        line: 2,
        message: expect.stringContaining("whole number above 0") as string,
        hint: expect.stringContaining("max_visits: 20") as string,
      });
    },
  );

  it("warns of an unknown key, with its line and the nearest key", () => {
    const file = parse(block("model: opus", "allowed_transition:", "  - { tag: result }", "x: 1"));

    expect(file.warnings).toEqual([
      {
        line: 3,
        message:
          'Unknown front matter key "allowed_transition" (ignored). Did you mean allowed_transitions?',
      },
      { line: 5, message: 'Unknown front matter key "x" (ignored).' },
    ]);
    expect(file.rules).toBeNull();
  });

  it("does not take a key from the prototype of objects", () => {
    expect(parse(block("constructor: 1", "__proto__: 2")).warnings).toHaveLength(2);
  });

  it.each([
    ["never closed", "---\nmodel: opus\nDo it.\n", 1, 1, /never closed/],
    ["closed with blanks", "---\nmodel: opus\n--- \nDo it.\n", 1, 1, /never closed/],
    ["bad YAML", block("model: opus", "effort: [low"), 3, 13, /Invalid YAML/],
    ["a tab", block("allowed_transitions:", "\t- { tag: result }"), 3, 1, /Invalid YAML/],
    [
      "a duplicate key",
      block("model: a", "effort: low", "model: b"),
      4,
      1,
      /Duplicate key "model": first defined in line 2/,
    ],
    [
      "a duplicate by an alias",
      block("&m model: a", "*m : b"),
      3,
      1,
      /Duplicate key "model": first defined in line 2/,
    ],
    ["a second document", block("model: a", "...", "model: b"), 4, 1, /second document/],
    ["a list", block("- a"), 2, 1, /must be a mapping/],
    ["a word", block("opus"), 2, 1, /must be a mapping/],
    ["a null", block("~"), 2, 1, /must be a mapping/],
    ["a key that is a list", block("? [a]", ": b"), 2, 3, /must be a scalar/],
    ["a custom tag", block("model: !secret x"), 2, 8, /Unresolved tag/],
    ["a tag for JavaScript", block("model: !!js/function 'x'"), 2, 8, /tag/],
    ["a tag for bytes", block("model: !!binary aaaa"), 2, 17, /tag/],
    ["a model that is a number", block("model: 4"), 2, 8, /model must be a string/],
    ["a model that is a list", block("model: [opus]"), 2, 8, /model must be a string/],
    ["a model that is empty", block("model:"), 2, 7, /model must be a string/],
    ["a model that is a flag", block("model: --debug"), 2, 8, /cannot be "--debug"/],
    ["an unknown effort", block("", "effort: hihg"), 3, 9, /Unknown effort "hihg"/],
    ["an effort that is a number", block("effort: 3"), 2, 9, /effort must be a string/],
    ["a timeout in words", block("timeout: soon"), 2, 10, /duration, not "soon"/],
    ["a timeout below zero", block("timeout: -5"), 2, 10, /duration/],
    ["a timeout that is a list", block("timeout: [5]"), 2, 10, /duration/],
    ["tools that are a word", block("tools: Read"), 2, 8, /must be a list/],
    ["a tool that is a number", block("tools: [Read, 5]"), 2, 15, /must be a string/],
    ["a tool that is a flag", block("allowed_tools: [-p]"), 2, 17, /cannot be "-p"/],
    ["rules that are a word", block("allowed_transitions: goto"), 2, 22, /must be a list/],
    ["rules that are missing", block("allowed_transitions:"), 2, 21, /must be a list/],
    ["no rules", block("allowed_transitions: []"), 2, 22, /is empty/],
    [
      "a rule that is a word",
      block("allowed_transitions:", "  - goto"),
      3,
      5,
      /mapping with a tag/,
    ],
    ["a rule without tag", block("allowed_transitions:", "  - { target: A }"), 3, 5, /has no tag/],
    ["an unknown tag", block("allowed_transitions: [{ tag: gto }]"), 2, 30, /Unknown tag "gto"/],
    ["a tag in capitals", block("allowed_transitions: [{ tag: GOTO }]"), 2, 30, /Unknown tag/],
    [
      "a tag that is a list",
      block("allowed_transitions: [{ tag: [goto] }]"),
      2,
      30,
      /single value/,
    ],
    ["cd on goto", block("allowed_transitions: [{ tag: goto, cd: x }]"), 2, 36, /Unknown key "cd"/],
    [
      "a target for result",
      block("allowed_transitions: [{ tag: result, target: A }]"),
      2,
      38,
      /Unknown key "target"/,
    ],
    [
      "a payload that would end its tag",
      block("allowed_transitions: [{ tag: result, payload: a</result>b }]"),
      2,
      47,
      /would end the tag/,
    ],
    [
      "frames that are neither kept nor dropped",
      block("allowed_transitions: [{ tag: reset, frames: all }]"),
      2,
      45,
      /must be drop or keep, not "all"/,
    ],
    ["return on fork", block("allowed_transitions: [{ tag: fork, return: A }]"), 2, 36, /"return"/],
    [
      "a reserved attribute",
      block("allowed_transitions: [{ tag: fork, PATH: A }]"),
      2,
      36,
      /"PATH"/,
    ],
    ["a strange attribute", block("allowed_transitions: [{ tag: fork, a-b: A }]"), 2, 36, /"a-b"/],
    ["an empty target", block("allowed_transitions: [{ tag: goto, target: }]"), 2, 44, /is empty/],
    [
      "a target with a path",
      block("allowed_transitions: [{ tag: goto, target: a/b }]"),
      2,
      44,
      /path/,
    ],
    [
      "a target with NUL",
      block('allowed_transitions: [{ tag: goto, target: "a\\0b" }]'),
      2,
      44,
      /NUL/,
    ],
    [
      "an attribute with NUL",
      block('allowed_transitions: [{ tag: fork, item: "\\0" }]'),
      2,
      42,
      /NUL/,
    ],
    [
      "a target that is a folder",
      block("allowed_transitions: [{ tag: goto, target: .. }]"),
      2,
      44,
      /folder/,
    ],
    [
      "a target that is a list",
      block("allowed_transitions: [{ tag: goto, target: [A] }]"),
      2,
      44,
      /single value/,
    ],
  ])("refuses %s", (_, text, line, column, message) => {
    const error = failure(text);

    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: "lint/RAY102", file: "S.md", line });
    expect(error.message.startsWith(`S.md:${String(line)}:${String(error.column)}: `)).toBe(true);
    expect(error.column).toBe(column);
    expect(error.hint).toMatch(/\S/);
  });

  it("suggests the nearest tag, key and effort", () => {
    expect(failure(block("allowed_transitions: [{ tag: gto }]")).hint).toContain(
      "Did you mean goto?",
    );
    expect(failure(block("allowed_transitions: [{ tag: goto, taget: A }]")).hint).toContain(
      "Did you mean target?",
    );
    expect(failure(block("effort: hihg")).hint).toContain("Did you mean high?");
  });

  it("counts lines alike with a byte order mark and CRLF", () => {
    const text = `\uFEFF${block("model: opus", "effort: hihg").replaceAll("\n", "\r\n")}`;

    expect(failure(text)).toMatchObject({ line: 3, column: 9 });
  });

  describe("front matter in another language", () => {
    afterEach(() => {
      Reflect.deleteProperty(globalThis, "frontMatterHasRun");
    });

    it.each(["---js", "--- js", "---javascript", "---JS", "---coffee", "---cson"])(
      "is refused and never run: %s",
      (opening) => {
        const text = `${opening}\n{ x: (globalThis.frontMatterHasRun = true) }\n---\nDo it.`;

        expect(failure(text).message).toMatch(/Nothing in it was executed/);
        expect(globalThis).not.toHaveProperty("frontMatterHasRun");
      },
    );

    it.each(["js", "javascript", "JS", "coffee", "cson", "json", "toml", "yaml2", "constructor"])(
      "would not be run if it came through: %s",
      (language) => {
        const text = `---${language}\n{ x: (globalThis.frontMatterHasRun = true) }\n---\n`;

        expect(() => readBlock(text, (_, problem) => new Error(problem))).toThrow();
        expect(globalThis).not.toHaveProperty("frontMatterHasRun");
      },
    );

    it.each(["---json", "---toml", "---yaml", "---constructor", "---c++"])(
      "is refused: %s",
      (opening) => {
        expect(failure(`${opening}\n{}\n---\n`)).toMatchObject({ line: 1, column: 1 });
      },
    );
  });

  it("reads a first line of any length, which is no opening line", () => {
    const long = `${"---a".repeat(300_000)} )`;

    expect(parse(`${long}\nbody`).rules).toBeNull();
  });

  it("refuses aliases that multiply, quickly", () => {
    const levels = Array.from({ length: 30 }, (_, n) => {
      const items =
        n === 0 ? "x" : Array.from({ length: 9 }, () => `*a${String(n - 1)}`).join(", ");
      return `a${String(n)}: &a${String(n)} [${items}]`;
    });

    expect(failure(block(...levels)).message).toMatch(/Too (many|large)/);
  });

  it("follows a few aliases", () => {
    const file = parse(
      block("model: &m opus", "allowed_transitions:", "  - &r { tag: goto, target: *m }", "  - *r"),
    );

    expect(file.rules).toHaveLength(2);
    expect(file.rules?.[1]).toMatchObject({
      tag: "goto",
      target: "opus",
      at: { line: 5, column: 5 },
    });
  });

  it.each([
    ["nested lists", `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["nested lists that are never closed", `a: ${"[".repeat(50_000)}`],
    ["nested items", `${"- ".repeat(20_000)}x`],
    ["nested mappings", `a: ${"{a: ".repeat(10_000)}`],
    ["a key in a key in a key", `a:\n  P${" a: 2,".repeat(10_000)}\nb:`],
    ["an alias to itself", "a: &a [*a]"],
    ["more than 64 KiB", `# ${"x".repeat(70_000)}`],
    ["more than 2,000 lines", `model: |\n${"\n".repeat(60_000)}  opus`],
  ])("refuses %s with an error for its author", (_, yaml) => {
    expect(failure(block(yaml)).code).toBe("lint/RAY102");
  });

  it("gives two readings of one text nothing in common", () => {
    const text = block("allowed_transitions: [{ tag: result }]");

    expect(parse(text).rules).not.toBe(parse(text).rules);
  });

  it("reads any text, or throws an error for its author", () => {
    const pieces = fc.constantFrom(
      "---",
      "\n",
      "\r\n",
      "model",
      ": ",
      "[",
      "]",
      "{",
      "}",
      "- ",
      "&a",
      "*a",
      "!",
      "|",
      "#",
      "'",
      '"',
      "x",
      "tag",
      " ",
      "\t",
      "allowed_transitions",
      ",",
      "?",
      "%",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = `---\n${parts.join("")}\n---\nDo it.`;
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidFileError);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("keeps every body except line ends and leading blank lines", () => {
    const bodies = fc
      .array(fc.constantFrom("a", " ", "\n", "---", "{{x}}"))
      .map((x) => `.${x.join("")}`);
    fc.assert(
      fc.property(bodies, (body) => {
        expect(parse(`---\nmodel: opus\n---\n\n${body}`).body).toBe(body);
        expect(parse(body).body).toBe(body);
      }),
    );
  });
});
