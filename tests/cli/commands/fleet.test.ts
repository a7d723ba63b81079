import { describe, expect, it } from "vitest";
import { fleetCommand } from "../../../src/cli/commands/fleet.ts";
import { emptyDatabaseUrl, withDatabase } from "../../support/postgres.ts";
import { keepingShell } from "../../support/shell.ts";

const init = async (url: string) => {
  const shell = keepingShell("/", { RAYMOND_FLEET: url });
  await fleetCommand({ what: "init" }, shell);
  return shell.stdout();
};

describe("raymond fleet init", () => {
  it("prepares the database that RAYMOND_FLEET names, and says so again the next time", async () => {
    const url = await emptyDatabaseUrl();
    const name = new URL(url).pathname;

    expect(await init(url)).toMatch(
      /^Prepared postgresql:.*: its tables have version \d+ now\.\n$/,
    );
    expect(await init(url)).toContain(`${name} is prepared: its tables have version`);
  });

  it("never tells the password", async () => {
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
    ["postgresql://127.0.0.1:1/raymond", "fleet/away", "See whether it runs"],
    ["postgresql://10.0.0.1/raymond?sslmode=disable", "fleet/plain-text", "sslrootcert"],
  ])("says what to do about the URL %j", async (url, code, hint) => {
    await expect(init(url)).rejects.toMatchObject({
      code,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("says how a database is made that is not there", async () => {
    const url = withDatabase(await emptyDatabaseUrl(), "nowhere");

    await expect(init(url)).rejects.toMatchObject({
      code: "fleet/refused",
      message: expect.stringContaining("there is no database of that name") as string,
      hint: expect.stringContaining("CREATE DATABASE") as string,
    });
  });
});

describe("raymond fleet", () => {
  it.each([
    [{ what: "start" }, "It takes: init, dev."],
    [{ what: "dev", url: "postgresql://localhost/raymond" }, "raymond fleet init --url URL"],
  ])("refuses %j", (options, hint) => {
    expect(() => fleetCommand(options, keepingShell("/"))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) as string }) as Error,
    );
  });
});
