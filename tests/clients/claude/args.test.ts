import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientArgs } from "../../../src/clients/claude/args.ts";
import { invocation } from "../../contracts/backend.ts";

const BASE = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];
const EDITS = ["--permission-mode", "acceptEdits"];
const WITHHELD =
  "--disallowed-tools=EnterWorktree,Agent(isolation:worktree),CronCreate,RemoteTrigger";
const fresh = { mode: "fresh", id: "s1" } as const;

describe("clientArgs", () => {
  it.each([
    ["a fresh session presets its id", {}, ["--session-id=s1"]],
    ["a session is resumed by its id", { session: { mode: "resume", id: "s2" } }, ["--resume=s2"]],
    [
      "a branch copies its source under an id of its own",
      { session: { mode: "branch", source: "s2", id: "s3" } },
      ["--resume=s2", "--fork-session", "--session-id=s3"],
    ],
    [
      "model and effort",
      { model: "opus", effort: "high" },
      ["--model=opus", "--effort=high", "--session-id=s1"],
    ],
    [
      "a fallback model and a limit of turns",
      { fallbackModel: "haiku", maxTurns: 9 },
      ["--fallback-model=haiku", "--max-turns=9", "--session-id=s1"],
    ],
    [
      "a budget in dollars",
      { maxBudgetMicroUsd: 1_234_567 },
      ["--max-budget-usd=1.234567", "--session-id=s1"],
    ],
    [
      "a budget is never 0, which is refused",
      { maxBudgetMicroUsd: 0 },
      ["--max-budget-usd=0.000001", "--session-id=s1"],
    ],
    [
      "lists go with commas, since rules hold blanks",
      {
        tools: ["Bash", "Read"],
        allowedTools: ["Bash(git log:*)", "Edit"],
        disallowedTools: ["WebFetch"],
      },
      [
        "--tools=Bash,Read",
        "--allowed-tools=Bash(git log:*),Edit",
        "--disallowed-tools=WebFetch",
        "--session-id=s1",
      ],
    ],
    [
      "denied paths are absolute rules beside the list of tools",
      { disallowedTools: ["WebFetch"], deniedPaths: ["/repo/.raymond", "/repo/wf/START.md"] },
      [
        "--disallowed-tools=WebFetch,Edit(//repo/.raymond),Edit(//repo/wf/START.md)",
        "--session-id=s1",
      ],
    ],
    [
      "what a rule would read as more than a character of a path is any character",
      { deniedPaths: ["/a b/(c), [d]*!/é.sh", "/a\\b/c", "C:\\Users\\wf"] },
      [
        "--disallowed-tools=Edit(//a?b/?c????d???/é.sh),Edit(//a?b/c),Edit(//c/Users/wf)",
        "--session-id=s1",
      ],
    ],
    [
      "denied names are rules with their wildcards, below a folder without any",
      {
        deniedNames: [
          { folder: "/", glob: "**/.raymond" },
          { folder: "/a*/wf", glob: "*.sh" },
        ],
      },
      ["--disallowed-tools=Edit(//**/.raymond),Edit(//a?/wf/*.sh)", "--session-id=s1"],
    ],
    ["an empty list of tools means none", { tools: [] }, ["--tools=", "--session-id=s1"]],
  ] as const)("%s", (_title, changes, expected) => {
    const args = clientArgs(invocation({ session: fresh, ...changes }));
    expect(withoutWithheld(args)).toEqual([...BASE, ...EDITS, ...expected]);
  });

  it("deny tools that move the work out of sight or schedule it after the step, in each call", () => {
    const call = { disallowedTools: ["WebFetch"], allowedTools: ["EnterWorktree"] };
    for (const level of ["read-only", "edit", "full"] as const) {
      const args = clientArgs(invocation({ session: fresh, level, ...call }));
      expect(args.join(" ")).toContain(`${WITHHELD},WebFetch`);
    }
  });

  it("ignore the settings of the project without its source", () => {
    const args = clientArgs(invocation({ session: fresh }), {
      kind: "ignore",
      files: [],
      warning: null,
    });

    expect(args).toContain("--setting-sources=user");
    expect(clientArgs(invocation({ session: fresh }))).not.toContain("--setting-sources=user");
  });

  it("passes no permission mode if permissions are skipped", () => {
    const args = clientArgs(invocation({ session: fresh, level: "full" }));

    expect(withoutWithheld(args)).toEqual([
      ...BASE,
      "--dangerously-skip-permissions",
      "--session-id=s1",
    ]);
  });

  it("never contain the prompt", () => {
    const args = clientArgs(invocation({ prompt: "--secret prompt" }));

    expect(args.join(" ")).not.toContain("secret");
  });

  it("refuses a session without an id, which is a bug", () => {
    expect(() => clientArgs(invocation({ session: { mode: "fresh", id: null } }))).toThrow(/id/);
  });

  it("writes every budget as a plain decimal that is worth the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (maxBudgetMicroUsd) => {
        const args = clientArgs(invocation({ maxBudgetMicroUsd }));
        const text = args.find((arg) => arg.startsWith("--max-budget-usd="))?.slice(17) ?? "";

        expect(text).toMatch(/^\d+\.\d{6}$/);
        expect(Math.round(Number(text) * 1e6)).toBe(maxBudgetMicroUsd);
      }),
    );
  });
});

function withoutWithheld(args: readonly string[]): readonly string[] {
  return args
    .map((arg) => arg.replace(WITHHELD, "--disallowed-tools=").replace("=,", "="))
    .filter((arg) => arg !== "--disallowed-tools=");
}
