import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openedDatabase, startTestServer } from "../../support/fleet/postgres.ts";

describe("a temporary server", () => {
  it("comes from the package if the system has none, and leaves no files", async () => {
    const server = await startTestServer({ packaged: true });
    onTestFinished(() => server.end());
    const database = openedDatabase(server.url);
    expect(await database.query("SELECT current_user AS who")).toEqual([{ who: "raymond" }]);
    expect(existsSync(server.folder)).toBe(true);

    await server.end();

    expect(server.binaries.from).toBe("package");
    expect(existsSync(server.folder)).toBe(false);
    await expect(database.query("SELECT 1")).rejects.toMatchObject({ code: "fleet/away" });
  });

  it("explains that it cannot create its folder", async () => {
    for (const name of ["TMPDIR", "TMP", "TEMP"]) vi.stubEnv(name, "/nowhere");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });

    await expect(startTestServer()).rejects.toMatchObject({
      code: "store/disk",
      message: expect.stringContaining("Cannot make a folder for a PostgreSQL in") as string,
    });
  });

  it("restarts with its data after an immediate shutdown", async () => {
    const server = await startTestServer({ durable: true });
    onTestFinished(() => server.end());
    const database = openedDatabase(server.url, { patienceMs: 240_000 });
    await database.query("CREATE TABLE kept AS SELECT 7 AS n");

    await server.stop("at once");
    const asked = database.query("SELECT n FROM kept");
    await server.start();

    expect(await asked).toEqual([{ n: 7 }]);
  });

  it("refuses connections without its password", async () => {
    const server = await startTestServer();
    onTestFinished(() => server.end());
    const url = new URL(server.url);
    url.password = "guess";

    const database = openedDatabase(url.href);

    await expect(database.query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: expect.stringContaining("the user or the password is wrong") as string,
    });
  });
});
