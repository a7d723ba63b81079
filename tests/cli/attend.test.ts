import { describe, expect, it } from "vitest";
import { askTrust, attend } from "../../src/cli/attend.ts";
import { claudeErrors } from "../../src/clients/claude/errors.ts";
import { storageErrors } from "../../src/storage/errors.ts";
import { BrokenOffError, UntrustedProjectError } from "../../src/wire/errors.ts";
import { untrustedIn } from "../../src/wire/trust/trusted.ts";
import { tempFolder } from "../support/folders.ts";
import { testShell } from "../support/test-shell.ts";

/** The output of a run that an error interrupts. */
async function brokenOffBy(cause: unknown): Promise<string> {
  const shell = testShell("/");
  await attend(() => Promise.reject(new BrokenOffError("r1", cause)), {}, shell);
  return shell.stderr();
}

it("an interrupted run is reported with the command that resumes it", async () => {
  expect(await brokenOffBy(claudeErrors.notLoggedIn())).toContain(
    "Run r1 was interrupted by an error. Resume with: raymond resume r1\n",
  );
});

it("suggests no resume if another process runs it", async () => {
  const facts = { revision: 7, expected: 6, at: null, holder: null };
  const said = await brokenOffBy(storageErrors["store/run-taken"]("r1", facts));

  expect(said).not.toContain("--resume");
  expect(said).toContain("raymond status r1");
});

const SUBJECT = {
  kind: "settings",
  place: "/repo/.raymond/config.toml",
  contents: new Map([['notify = "curl \u001b[2Kx"', ""]]),
} as const;

/** A user with this answer, and work that needs trust in the project. */
async function asked(answer: string | null) {
  const env = { HOME: await tempFolder() };
  const shell = { ...testShell("/repo", env), ask: () => Promise.resolve(answer) };
  const work = async () => {
    const untrusted = await untrustedIn(SUBJECT, shell);
    if (untrusted.length > 0) throw new UntrustedProjectError(SUBJECT, untrusted);
    return "worked";
  };
  const done = await askTrust(shell, work).catch((error: unknown) => error);
  return { done, env, shell };
}

describe("askTrust", () => {
  it.each(["y", " YES "])(
    "continues at %j, and saves the answer for this content only",
    async (answer) => {
      const { done, shell, env } = await asked(answer);

      expect(done).toBe("worked");
      expect(shell.stderr()).toContain('  notify = "curl ');
      expect(shell.stderr()).not.toContain("\u001b");
      expect(await untrustedIn(SUBJECT, { env })).toEqual([]);
      const other = { ...SUBJECT, contents: new Map([['notify = "other"', ""]]) };
      expect(await untrustedIn(other, { env })).toEqual(['notify = "other" (new)']);
      const elsewhere = { ...SUBJECT, place: "/other/config.toml" };
      expect(await untrustedIn(elsewhere, { env })).toHaveLength(1);
    },
  );

  it.each(["n", "", null])("refuses at %j, and saves nothing", async (answer) => {
    const { done, env } = await asked(answer);

    expect(done).toBeInstanceOf(UntrustedProjectError);
    expect(await untrustedIn(SUBJECT, { env })).toHaveLength(1);
  });
});
