import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFlag } from "../../src/config/flags.ts";
import { OPTIONS } from "../../src/config/settings.ts";
import { allowFlag, allowWords, deniedWords } from "../../src/console/allow-flag.ts";
import { UNSET } from "../../src/machine/decide/permissions.ts";
import { itNeeds, onPath } from "../support/needs.ts";

describe("the flag that allows what was denied", () => {
  const denied = (tool: string, input: string) => ({ tool, input });

  it("is as narrow as possible, and keeps the items that are already allowed", () => {
    const calls = [
      denied("Bash", "npm test"),
      denied("WebFetch", "http://x.example/a?b"),
      denied("Write", "/tmp/a b.md"),
      denied("Read", "notes.txt"),
      denied("WebSearch", "cats"),
    ];
    expect(allowFlag(calls, { ...UNSET, allow: ["command(git *)"] })).toBe(
      "--allow 'command(git *),command(npm test),network(x.example),write(/tmp/a b.md),read(notes.txt),tool(WebSearch)'",
    );
    const all = { ...UNSET, allow: ["command(*)"], allowedTools: ["WebFetch", "WebSearch"] };
    expect(
      allowFlag(
        calls.filter(({ tool }) => /^(Bash|Web)/.test(tool)),
        all,
      ),
    ).toBeNull();
  });

  it.each([
    ["cd x && rm y", "command(cd x),command(rm y)"],
    ["npm ci; npm test | tail -5", "command(npm ci),command(npm test),command(tail -5)"],
    ["git commit -m 'a && b'", "command(git *)"],
    ['node -e "1;2" && npm test', "command(node *),command(npm test)"],
  ])("has an item for each command of a line, and not for all commands: %s", (command, items) => {
    const flag = allowFlag([denied("Bash", command)], UNSET) ?? "";
    expect(flag).toBe(`--allow '${items}'`);
    const any = items.includes("*") ? ", with any other arguments" : "";
    expect(allowWords(flag)).toBe(`to allow them${any}`);
  });

  it.each([
    ...[
      ["Bash", "echo $(x)"],
      ["Bash", "a…"],
      ["Bash", "echo x > y"],
      ["Bash", "(a b)"],
    ],
    ...[
      ["Bash", "'a b' c"],
      ["Write", "/a/*.md"],
      ["Read", "../x"],
      ["WebFetch", "no address"],
    ],
  ] as const)("does not suggest more where no item fits: %s %s", (tool, input) => {
    expect(allowFlag([denied(tool, input)], UNSET)).toBeNull();
    const both = [denied("Bash", "npm test"), denied(tool, input)];
    expect(allowFlag(both, UNSET)).toBe("--allow 'command(npm test)'");
  });

  it("names the item that the state asks for", () => {
    const call = { ...denied("Bash", "npm test -w a"), asked: "command(npm test *)" };
    expect(allowFlag([call], UNSET)).toBe("--allow 'command(npm test *)'");
    expect(deniedWords({ ...call, state: "A.md", count: 1 })).toBe("A.md  Bash  npm test -w a");
  });

  it("says that a state with permissions of its own must list the call", () => {
    const call = { ...denied("Bash", "npm test"), narrowed: true };
    expect(allowFlag([call], UNSET)).toBe("--allow 'command(npm test)'");
    expect(deniedWords({ ...call, state: "A.md", count: 2 })).toBe(
      "A.md  Bash  npm test 2×  (the state must list it)",
    );
  });

  itNeeds(onPath("sh"), "is read back as the same items after a shell has parsed it", () => {
    const input = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.stringMatching(/^[a-z ./'"&|;:,()@-]{1,30}$/),
    );
    const tool = fc.constantFrom("Bash", "Write", "Read", "WebFetch", "WebSearch", "mcp__a__b");
    fc.assert(
      fc.property(fc.array(fc.record({ tool, input }), { maxLength: 3 }), (calls) => {
        const flag = allowFlag(calls, { ...UNSET, allow: ["write(a b/**)"] });
        if (flag === null) return;
        const words = execFileSync("sh", ["-c", `printf '%s\\0' ${flag}`], { encoding: "utf8" });
        const [name, value = ""] = words.split("\0");
        expect(name).toBe("--allow");
        const items = readFlag(OPTIONS.allow, value) as readonly string[];
        expect(items[0]).toBe("write(a b/**)");
        expect(allowFlag(calls, { ...UNSET, allow: items })).toBeNull();
      }),
      { numRuns: 60 },
    );
  });
});
