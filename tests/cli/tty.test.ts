import { describe, expect, it } from "vitest";
import { chooseStyle, type TerminalEnvironment } from "../../src/cli/tty.ts";
import { colorStyle, plainStyle } from "../../src/console/style.ts";

const cases: readonly (readonly [boolean, TerminalEnvironment, boolean])[] = [
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: "xterm-256color" }, true],
  [true, { TERM: "dumb" }, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "false" }, false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }, true],
];

describe("chooseStyle", () => {
  it.each(cases)("terminal: %s, with %o: color is %s", (isTTY, env, color) => {
    expect(chooseStyle(isTTY, env)).toBe(color ? colorStyle : plainStyle);
  });

  it("adds nothing to plain text, and resets every color", () => {
    for (const name of Object.keys(colorStyle) as (keyof typeof colorStyle)[]) {
      expect(plainStyle[name]("text")).toBe("text");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about control characters
      expect(colorStyle[name]("text")).toMatch(/^\u001b\[\d+mtext\u001b\[\d+m$/);
      expect(colorStyle[name]("")).toBe("");
    }
  });
});
