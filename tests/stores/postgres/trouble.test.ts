import { describe, expect, it } from "vitest";
import { readAddress } from "../../../src/stores/postgres/address.ts";
import { postgresStore } from "../../../src/stores/postgres/store.ts";
import { inWords, troubleOf } from "../../../src/stores/postgres/trouble.ts";
import { emptyDatabaseUrl, fleetDatabase, openedDatabase } from "../../support/postgres.ts";
import { run } from "../../support/runs.ts";

const words = (text: string) => expect.stringContaining(text) as string;

/** The URL of the same database for a role that may do little, with so many connections. */
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
  it("says so when its disk is full, keeps what was saved, and goes on when there is room", async () => {
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
      hint: words("Make room there"),
    });

    expect((await store.load(run().id))?.saves).toBe(1);
    await database.query("DROP TRIGGER no_room ON raymond.runs");
    await store.save(run({ saves: 2 }), 1);
    expect((await store.load(run().id))?.saves).toBe(2);
  });

  it("says what it reports where that is an internal error of the server", async () => {
    const database = await fleetDatabase();
    const raise = `DO $$ BEGIN RAISE EXCEPTION 'cache lookup failed' USING ERRCODE = 'XX000'; END $$`;

    await expect(database.query(raise)).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("it reports: cache lookup failed"),
      hint: words("log of the server"),
    });
  });

  it.each([
    ["disk_full", "x"],
    // As PostgreSQL 15 reports it to whoever connects.
    ["XX000", "could not write init file"],
    ["58030", 'could not extend file "base/1": No space left on device'],
  ])(
    "is waited for while its disk is full, by whoever has patience (%s)",
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

  it("says so when it has no connection left, and lets in who waits for one", async () => {
    const url = await urlOfRole(await emptyDatabaseUrl(), "crowded", 1);
    const holding = await openedDatabase(url).connect();
    const refused = openedDatabase(url).query("SELECT 1");
    await expect(refused).rejects.toMatchObject({
      code: "fleet/away",
      message: words("max_connections"),
      hint: words("Raise max_connections there, or let fewer workers run: each needs up to twenty"),
    });

    const patient = openedDatabase(url, { patienceMs: 60_000 }).query("SELECT 1 AS n");
    await holding.end();

    expect(await patient).toEqual([{ n: 1 }]);
  });

  it("says so when its user may not do that", async () => {
    const database = await fleetDatabase();
    const url = await urlOfRole(database.address.url, "guest", 5);

    await expect(openedDatabase(url).query("DELETE FROM raymond.runs")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("its user may not do that there"),
    });
  });

  it("says so when it cannot encrypt what must be encrypted", async () => {
    const url = new URL(await emptyDatabaseUrl());
    url.searchParams.set("sslmode", "verify-full");

    await expect(openedDatabase(url.href).query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("it offers no TLS"),
      hint: words("ssl = on"),
    });
  });

  it("says so when it asks for a password, and none was given", async () => {
    const url = new URL(await emptyDatabaseUrl());
    url.password = "";

    await expect(openedDatabase(url.href).query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("it asks for a password, and its URL has none"),
    });
  });

  it("says that it takes nobody without TLS where it does not", () => {
    const said = 'no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", no encryption';
    const error = Object.assign(new Error(said), { code: "28000" });

    expect(troubleOf(error, readAddress("postgresql://localhost/raymond"))).toMatchObject({
      kind: "refused",
      error: {
        message: words("may not come in from here without TLS"),
        hint: words("Add sslmode=verify-full to the URL"),
      },
    });
  });

  it("says so when a certificate is named that is not there", async () => {
    const url = new URL(await emptyDatabaseUrl());
    url.searchParams.set("sslrootcert", "/nowhere/ca.pem");

    await expect(openedDatabase(url.href).query("SELECT 1")).rejects.toMatchObject({
      code: "fleet/refused",
      message: words("a file that its URL names cannot be read"),
    });
  });

  it.each(["SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID"])(
    "says so when its certificate proves nothing: %s",
    (code) => {
      const error = Object.assign(new Error("x"), { code });
      const trouble = troubleOf(error, readAddress("postgresql://db.example.org/raymond"));

      expect(trouble).toMatchObject({
        kind: "refused",
        error: { message: words(code), hint: words("sslrootcert") },
      });
    },
  );

  it("is told to survive a power loss, whatever it is set to", async () => {
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
  ])("%s is connected to with sslmode %s", (url, mode) => {
    expect(new URL(readAddress(url).url).searchParams.get("sslmode")).toBe(mode);
  });

  it.each([
    "postgresql://db.example.org/raymond?sslmode=disable",
    "postgresql://db.example.org/raymond?ssl=false",
    "postgresql://db.example.org/raymond?ssl=0",
  ])("%s is never connected to in plain text", (url) => {
    expect(() => readAddress(url)).toThrow(
      expect.objectContaining({ code: "fleet/plain-text" }) as Error,
    );
  });

  it.each(["postgresql://u:50%25%@h/db", "postgresql://u:p@h/%C3%28", "postgresql://%ff:p@h/db"])(
    "%s is refused: what a % begins is no character",
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

it("is told in words where the library of queues has met it, and a bug of that stays one", async () => {
  const address = readAddress("postgresql://u:p@localhost/raymond");
  const failing = (message: string) => inWords(address, Promise.reject(new Error(message)));

  await expect(failing("Connection terminated unexpectedly")).rejects.toMatchObject({
    code: "fleet/away",
  });
  await expect(failing("not a function")).rejects.toThrow("not a function");
});

it("is told in words also where the library says in its own that it could not begin", async () => {
  const told = Object.assign(new Error("terminating connection"), { code: "57P01" });
  const around = Object.assign(new Error("Failed to initialize"), { error: told });
  const address = readAddress("postgresql://127.0.0.1/raymond");

  await expect(inWords(address, Promise.reject(around))).rejects.toMatchObject({
    code: "fleet/away",
  });
});
