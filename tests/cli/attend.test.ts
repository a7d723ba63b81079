import { expect, it } from "vitest";
import { attend } from "../../src/cli/attend.ts";
import { claudeErrors } from "../../src/clients/claude/errors.ts";
import { storageErrors } from "../../src/storage/errors.ts";
import { BrokenOffError } from "../../src/wire/errors.ts";
import { testShell } from "../support/test-shell.ts";

/** What is told of a run that was broken off by this. */
async function brokenOffBy(cause: unknown): Promise<string> {
  const shell = testShell("/");
  await attend(() => Promise.reject(new BrokenOffError("r1", cause)), {}, shell);
  return shell.stderr();
}

it("an interrupted run is reported with the command that resumes it", async () => {
  expect(await brokenOffBy(claudeErrors["claude/not-logged-in"]())).toContain(
    "Run r1 was interrupted by an error. Resume with: raymond resume r1\n",
  );
});

it("suggests no resume if another process runs it", async () => {
  const facts = { revision: 7, expected: 6, at: null, holder: null };
  const said = await brokenOffBy(storageErrors["store/run-taken"]("r1", facts));

  expect(said).not.toContain("--resume");
  expect(said).toContain("raymond status r1");
});
