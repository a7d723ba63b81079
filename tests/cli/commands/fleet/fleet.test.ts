import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { emptyDatabaseUrl, withDatabase } from "../../../support/fleet/postgres.ts";
import { testShell } from "../../../support/test-shell.ts";

const init = async (url: string) => {
  const shell = testShell("/", { RAYMOND_FLEET: url });
  await runCommandLine(["node", "raymond", "fleet", "init"], shell);
  return shell.stdout();
};

describe("raymond fleet init", () => {
  it("prepares the database that RAYMOND_FLEET names, and reports that it is up to date the next time", async () => {
    const url = await emptyDatabaseUrl();
    const name = new URL(url).pathname;

    expect(await init(url)).toMatch(/^Prepared postgresql:.* \(version \d+\)\.\n$/);
    expect(await init(url)).toContain(`${name} is up to date (version`);
  });

  it("never prints the password", async () => {
    const url = await emptyDatabaseUrl();

    expect(await init(url)).not.toContain(new URL(url).password);
    await expect(init(withDatabase(url, "nowhere"))).rejects.toMatchObject({
      message: expect.not.stringContaining(new URL(url).password) as string,
    });
  });

  it.each([
    ["", "fleet/none", "raymond fleet dev"],
    ["nonsense", "fleet/bad-url", "postgresql://user"],
    ["mysql://localhost/raymond", "fleet/bad-url", "postgresql://user"],
    ["postgresql://localhost", "fleet/bad-url", "postgresql://user"],
    ["postgresql://127.0.0.1:1/raymond", "fleet/away", "Check that the server is running"],
    ["postgresql://10.0.0.1/raymond?sslmode=disable", "fleet/plain-text", "sslrootcert"],
  ])("explains how to fix the URL %j", async (url, code, hint) => {
    await expect(init(url)).rejects.toMatchObject({
      code,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("explains how to create a missing database", async () => {
    const url = withDatabase(await emptyDatabaseUrl(), "nowhere");

    await expect(init(url)).rejects.toMatchObject({
      code: "fleet/refused",
      message: expect.stringContaining("the server has no database of that name") as string,
      hint: expect.stringContaining("CREATE DATABASE") as string,
    });
  });
});

describe("raymond fleet", () => {
  it.each([
    ["fleet start", "cli/unknown-command"],
    ["fleet inti", "cli/unknown-command"],
    ["fleet dev --url postgresql://localhost/raymond", "cli/unknown-option"],
    ["fleet limits set team", "cli/bad-call"],
    ["fleet schedules pause", "cli/missing-argument"],
    ["fleet move r1", "cli/missing-argument"],
  ])("rejects: raymond %s", async (words, code) => {
    const call = runCommandLine(["node", "raymond", ...words.split(" ")], testShell("/"));

    await expect(call).rejects.toMatchObject({ code });
  });

  it("suggests the command that was probably meant", async () => {
    const call = runCommandLine(["node", "raymond", "fleet", "inti"], testShell("/"));

    await expect(call).rejects.toMatchObject({
      hint: "Did you mean: raymond fleet init? Show its options with: raymond fleet --help",
    });
  });
});
