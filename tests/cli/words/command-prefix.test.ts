import { expect, it } from "vitest";
import { STATE_DIR_COMMANDS } from "../../../src/cli/commands/command-list.ts";
import { commandPrefixer, reportError } from "../../../src/cli/words/report-error.ts";
import { plainStyle } from "../../../src/console/style.ts";
import { storageErrors } from "../../../src/storage/errors.ts";

it.each([
  [["list"], "raymond"],
  [["--state-dir", "x", "list"], "raymond --state-dir x"],
  [["list", "--state-dir=a b"], "raymond --state-dir 'a b'"],
  [["w", "--state-dir", "x", "--state-dir", "y"], "raymond --state-dir y"],
  [["w", "--state-dir"], "raymond"],
])("hints repeat --state-dir of the call %j", (words, program) => {
  expect(commandPrefixer(words, STATE_DIR_COMMANDS)("raymond list")).toBe(`${program} list`);
});

it.each([
  ["stop it: raymond stop r1", "stop it: raymond --state-dir x stop r1"],
  [
    "`raymond list` or raymond resume r1",
    "`raymond --state-dir x list` or raymond --state-dir x resume r1",
  ],
  ["again with raymond WORKFLOW.", "again with raymond --state-dir x WORKFLOW."],
  ["raymond help tags; raymond lists; raymond resumed", null],
])("a hint repeats --state-dir in commands about runs: %s", (hint, called) => {
  expect(commandPrefixer(["--state-dir", "x"], STATE_DIR_COMMANDS)(hint)).toBe(called ?? hint);
});

it("the hint of an error has the commands as they are called", () => {
  const lines: string[] = [];
  const asCalled = commandPrefixer(["--state-dir", "x"], STATE_DIR_COMMANDS);

  reportError(
    storageErrors["store/unknown-run"]("r1"),
    (line) => lines.push(line),
    plainStyle,
    asCalled,
  );

  expect(lines[1]).toContain("raymond --state-dir x list --all");
});
