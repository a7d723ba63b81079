import { describe, expect, it } from "vitest";
import { allowFlag, allowWords } from "../../src/observers/allow-flag.ts";

describe("the flag that allows what was denied", () => {
  const denied = (tool: string, input: string) => ({ tool, input });

  it("is as narrow as a rule can be, and keeps what is allowed already", () => {
    const calls = [denied("Bash", "npm test"), denied("WebFetch", "http://x")];
    expect(allowFlag(calls, ["Read"])).toBe("--allowed-tools 'Read,Bash(npm test),WebFetch'");
    expect(allowFlag(calls, ["Bash", "WebFetch"])).toBeNull();
  });

  it.each(["cd x && rm y", "echo 'a b'", "a, b", "echo $(x)", "a…"])(
    "allows all commands where no rule fits, and that is known: %s",
    (command) => {
      const flag = allowFlag([denied("Bash", "npm test"), denied("Bash", command)], null) ?? "";
      expect(flag).toBe("--allowed-tools Bash");
      expect(allowWords(flag)).toBe("to allow them, and any other command");
      expect(allowWords("--allowed-tools 'Bash(npm test)'")).toBe("to allow them");
    },
  );
});
