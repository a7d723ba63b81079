import { describe, expect, it } from "vitest";
import { askTrust } from "../../src/cli/ask-trust.ts";
import { UntrustedProjectError } from "../../src/run/errors.ts";
import { isTrusted } from "../../src/wire/trust/trusted.ts";
import { tempFolder } from "../support/folders.ts";
import { testShell } from "../support/test-shell.ts";

const SUBJECT = { file: "/repo/.raymond/config.toml", statements: ['notify = "curl \u001b[2Kx"'] };

/** A person who answers so, and work that needs their trust. */
async function asked(answer: string | null) {
  const env = { HOME: await tempFolder() };
  const shell = { ...testShell("/repo", env), ask: () => Promise.resolve(answer) };
  const work = () =>
    isTrusted(SUBJECT, shell)
      ? Promise.resolve("worked")
      : Promise.reject(new UntrustedProjectError(SUBJECT));
  const done = await askTrust(shell, work).catch((error: unknown) => error);
  return { done, env, shell };
}

describe("askTrust", () => {
  it.each(["y", " YES "])(
    "goes on at %j, and remembers it for this content only",
    async (answer) => {
      const { done, shell, env } = await asked(answer);

      expect(done).toBe("worked");
      expect(shell.stderr()).toContain('  notify = "curl ');
      expect(shell.stderr()).not.toContain("\u001b");
      expect(isTrusted(SUBJECT, { env })).toBe(true);
      expect(isTrusted({ ...SUBJECT, statements: ['notify = "other"'] }, { env })).toBe(false);
      expect(isTrusted({ ...SUBJECT, file: "/other/config.toml" }, { env })).toBe(false);
    },
  );

  it.each(["n", "", null])("refuses at %j, and remembers nothing", async (answer) => {
    const { done, env } = await asked(answer);

    expect(done).toBeInstanceOf(UntrustedProjectError);
    expect(isTrusted(SUBJECT, { env })).toBe(false);
  });
});
