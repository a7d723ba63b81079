import { expect, it } from "vitest";
import { NotLoggedInError } from "../../src/backends/claude/errors.ts";
import { attend } from "../../src/cli/attend.ts";
import { BrokenOffError } from "../../src/runs/errors.ts";
import { RunTakenError } from "../../src/stores/errors.ts";
import { keepingShell } from "../support/shell.ts";

/** What is told of a run that was broken off by this. */
async function brokenOffBy(cause: unknown): Promise<string> {
  const shell = keepingShell("/");
  await attend(() => Promise.reject(new BrokenOffError("r1", cause)), {}, shell);
  return shell.stderr();
}

it("a run that was broken off is told with the command that goes on with it", async () => {
  expect(await brokenOffBy(new NotLoggedInError())).toContain(
    "broken off. Go on with: raymond --resume r1\n",
  );
});

it("and not where another process goes on with it", async () => {
  const facts = { revision: 7, expected: 6, at: null, holder: null };
  const said = await brokenOffBy(new RunTakenError("r1", facts));

  expect(said).not.toContain("--resume");
  expect(said).toContain("raymond status r1");
});
