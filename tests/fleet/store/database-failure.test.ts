import { describe, expect, it } from "vitest";
import { readAddress } from "../../../src/fleet/store/address.ts";
import { classifyError, translateErrors } from "../../../src/fleet/store/database-failure.ts";
import { postgresStore } from "../../../src/fleet/store/store.ts";
import { emptyDatabaseUrl, fleetDatabase, openedDatabase } from "../../support/fleet/postgres.ts";
import { run } from "../../support/runs.ts";

const words = (text: string) => expect.stringContaining(text) as string;

/** The URL of the same database for a role with few permissions and a connection limit. */
async function urlOfRole(url: string, role: string, connections: number): Promise<string> {
  await openedDatabase(url).query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'p' CONNECTION LIMIT ${String(connections)}`,
  );
  const other = new URL(url);
  other.username = role;
  other.password = "p";
  return other.href;
}

describe("a database that refuses", () => {
  it("reports a full disk, keeps the saved state, and continues when there is space", async () => {
    const database = await fleetDatabase();
    const store = postgresStore(database, "/nowhere");
    await store.save(run({ saves: 1 }), 0);
    await database.query(
      `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER no_room BEFORE UPDATE ON raymond.runs EXECUTE FUNCTION no_room()`,
    );

    await expect(store.save(run({ saves: 2 }), 1)).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("the disk of the server is full"),
      hint: words("Free some space"),
    });

    expect((await store.load(run().id))?.saves).toBe(1);
    await database.query("DROP TRIGGER no_room ON raymond.runs");
    await store.save(run({ saves: 2 }), 1);
    expect((await store.load(run().id))?.saves).toBe(2);
  });

  it("reports an internal error of the server", async () => {
    const database = await fleetDatabase();
    const raise = `DO $$ BEGIN RAISE EXCEPTION 'cache lookup failed' USING ERRCODE = 'XX000'; END $$`;

    await expect(database.query(raise)).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("the server reports: cache lookup failed"),
      hint: words("server log"),
    });
  });

  it.each([
    ["disk_full", "x"],
    // As PostgreSQL 15 reports it to new connections.
    ["XX000", "could not write init file"],
    ["58030", 'could not extend file "base/1": No space left on device'],
  ])(
    "is retried while its disk is full, up to the patience of the caller (%s)",
    async (code, message) => {
      const database = await fleetDatabase({ patienceMs: 60_000 });
      await database.query(
        `CREATE SEQUENCE tries;
       CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF nextval('tries') < 3 THEN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER no_room BEFORE INSERT ON raymond.machines FOR EACH ROW EXECUTE FUNCTION no_room()`,
      );

      await database.query("INSERT INTO raymond.machines (id) VALUES ('m')");

      expect(await database.query("SELECT last_value AS n FROM tries")).toEqual([{ n: 3 }]);
    },
  );

  it("reports that it has no free connection, and serves callers that wait for one", async () => {
    const url = await urlOfRole(await emptyDatabaseUrl(), "crowded", 1);
    const holding = await openedDatabase(url).connect();
    const refused = openedDatabase(url).query("SELECT 1");
    await expect(refused).rejects.toMatchObject({
      code: "fleet/away",
      message: words("max_connections"),
      hint: words("Raise max_connections on the server, or run fewer workers: each uses up to 20"),
    });

    const patient = openedDatabase(url, { patienceMs: 60_000 }).query("SELECT 1 AS n");
    await holding.end();

    expect(await patient).toEqual([{ n: 1 }]);
  });

  it("reports missing permissions", async () => {
    const database = await fleetDatabase();
    const url = await urlOfRole(database.address.url, "guest", 5);

    await expect(openedDatabase(url).query("DELETE FROM raymond.runs")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("its user lacks the permission"),
    });
  });

  it("reports that the required TLS is not supported", async () => {
    const url = new URL(await emptyDatabaseUrl());
    url.searchParams.set("sslmode", "verify-full");

    await expect(openedDatabase(url.href).query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("the server does not support TLS"),
      hint: words("ssl = on"),
    });
  });

  it("reports a missing password", async () => {
    const url = new URL(await emptyDatabaseUrl());
    url.password = "";

    await expect(openedDatabase(url.href).query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("the server requires a password"),
    });
  });

  it("reports that the server requires TLS", () => {
    const said = 'no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", no encryption';
    const error = Object.assign(new Error(said), { code: "28000" });

    expect(classifyError(error, readAddress("postgresql://localhost/raymond"))).toMatchObject({
      kind: "refused",
      error: {
        message: words("rejects connections without TLS"),
        hint: words("Add sslmode=verify-full to the URL"),
      },
    });
  });

  it("reports a certificate file that does not exist", async () => {
    const url = new URL(await emptyDatabaseUrl());
    url.searchParams.set("sslrootcert", "/nowhere/ca.pem");

    await expect(openedDatabase(url.href).query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("a file in its URL cannot be read"),
    });
  });

  it.each(["SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID"])(
    "reports an untrusted certificate: %s",
    (code) => {
      const error = Object.assign(new Error("x"), { code });
      const trouble = classifyError(error, readAddress("postgresql://db.example.org/raymond"));

      expect(trouble).toMatchObject({
        kind: "refused",
        error: { message: words(code), hint: words("sslrootcert") },
      });
    },
  );

  it("is set to survive a power loss, whatever the server setting", async () => {
    const database = await fleetDatabase();

    expect(await database.query("SHOW synchronous_commit")).toEqual([{ synchronous_commit: "on" }]);
  });
});

describe("the URL of a database", () => {
  it.each([
    ["postgresql://db.example.org/raymond", "verify-full"],
    ["postgresql://db.example.org/raymond?sslmode=require", "verify-full"],
    ["postgresql://db.example.org/raymond?sslmode=no-verify", "no-verify"],
    ["postgresql://10.0.0.7/raymond?sslmode=prefer", "verify-full"],
    ["postgresql://localhost/raymond", null],
    ["postgresql://localhost/raymond?sslmode=disable", "disable"],
    ["postgresql://localhost/raymond?sslmode=require", "verify-full"],
    ["postgresql://127.0.0.9/raymond", null],
    ["postgresql://[::1]/raymond", null],
    ["postgresql:///raymond?host=/run/postgresql", null],
    ["postgresql:///raymond?host=db.example.org", "verify-full"],
    ["postgresql://localhost/raymond?host=db.example.org", "verify-full"],
    ["postgresql://127.0.0.1.example.org/raymond", "verify-full"],
  ])("%s connects with sslmode %s", (url, mode) => {
    expect(new URL(readAddress(url).url).searchParams.get("sslmode")).toBe(mode);
  });

  it.each([
    "postgresql://db.example.org/raymond?sslmode=disable",
    "postgresql://db.example.org/raymond?ssl=false",
    "postgresql://db.example.org/raymond?ssl=0",
  ])("%s never connects in plain text", (url) => {
    expect(() => readAddress(url)).toThrow(
      expect.objectContaining({ code: "fleet/plain-text" }) as Error,
    );
  });

  it.each(["postgresql://u:50%25%@h/db", "postgresql://u:p@h/%C3%28", "postgresql://%ff:p@h/db"])(
    "%s is refused: invalid percent encoding",
    (url) => {
      expect(() => readAddress(url)).toThrow(
        expect.objectContaining({ code: "fleet/bad-url", message: words("has a %") }) as Error,
      );
    },
  );

  it("is shown without its password", () => {
    for (const url of ["postgresql://u:secret@h/db", "postgresql://u@h/db?password=secret"]) {
      expect(readAddress(url).shown).not.toContain("secret");
    }
  });
});

it("translates database errors of the queue library, and no bugs", async () => {
  const address = readAddress("postgresql://u:p@localhost/raymond");
  const failing = (message: string) => translateErrors(address, Promise.reject(new Error(message)));

  await expect(failing("Connection terminated unexpectedly")).rejects.toMatchObject({
    code: "fleet/away",
  });
  await expect(failing("not a function")).rejects.toThrow("not a function");
});

it("translates database errors that the queue library has wrapped", async () => {
  const cause = Object.assign(new Error("terminating connection"), { code: "57P01" });
  const around = Object.assign(new Error("Failed to initialize"), { error: cause });
  const address = readAddress("postgresql://127.0.0.1/raymond");

  await expect(translateErrors(address, Promise.reject(around))).rejects.toMatchObject({
    code: "fleet/away",
  });
});
