import { describe, expect, it } from "vitest";
import { keyLine } from "../../src/config/key-lines.ts";

const text = `# budget = 1
[other]
budget = 2
note = """
[raymond]
budget = 3
"""
one_line = '''x'''

[ "raymond" ]   # mine
"model" = "opus"
budget=4
tools = [
  "Read",
]
[raymond.nested]
budget = 5
`;

describe("keyLine", () => {
  it.each([
    ["raymond", "budget", 12],
    ["raymond", "model", 11],
    ["raymond", "tools", 13],
    ["raymond", "nested", 16],
    ["other", "one_line", 8],
    [null, "other", 2],
    [null, "raymond", 10],
    ["raymond", "absent", null],
  ])("finds in table %s the key %s at line %s", (table, key, line) => {
    expect(keyLine(text, table, key)).toBe(line);
  });

  it("finds dotted keys, and keys of an inline table at the line of the table", () => {
    expect(keyLine("\nraymond.budget = 1", "raymond", "budget")).toBe(2);
    expect(keyLine("\nraymond = { budget = 1 }", "raymond", "budget")).toBe(2);
  });
});
