import { describe, expect, it } from "vitest";
import { allowFlag, allowWords } from "../../src/console/allow-flag.ts";

describe("the flag that allows what was denied", () => {
  const denied = (tool: string, input: string) => ({ tool, input });

  it("is as narrow as possible, and keeps the tools that are already allowed", () => {
    const calls = [denied("Bash", "npm test"), denied("WebFetch", "http://x")];
    expect(allowFlag(calls, ["Read"])).toBe("--allowed-tools 'Read,Bash(npm test),WebFetch'");
    expect(allowFlag(calls, ["Bash", "WebFetch"])).toBeNull();
  });

  it.each([
    ["cd x && rm y", "Bash(cd x),Bash(rm y)"],
    ["npm ci; npm test | tail -5", "Bash(npm ci),Bash(npm test),Bash(tail -5)"],
    ["git commit -m 'a && b'", "Bash(git *)"],
    ['node -e "1;2" && npm test', "Bash(node *),Bash(npm test)"],
  ])("has a rule for each command of a line, and not for all of Bash: %s", (command, rules) => {
    const flag = allowFlag([denied("Bash", command)], null) ?? "";
    expect(flag).toBe(`--allowed-tools '${rules}'`);
    const any = rules.includes("*") ? ", with any other arguments" : "";
    expect(allowWords(flag)).toBe(`to allow them${any}`);
  });

  it.each(["echo $(x)", "a…", "echo x > y", "(a b)", "'a b' c"])(
    "does not suggest all of Bash where no rule fits: %s",
    (command) => {
      expect(allowFlag([denied("Bash", command)], null)).toBeNull();
      const both = [denied("Bash", "npm test"), denied("Bash", command)];
      expect(allowFlag(both, null)).toBe("--allowed-tools 'Bash(npm test)'");
    },
  );
});
