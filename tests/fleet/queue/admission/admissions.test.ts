import { expect, it } from "vitest";
import {
  type Limits,
  listAccounts,
  registerAccounts,
  setLimits,
} from "../../../../src/fleet/queue/accounts.ts";
import { admit, endAdmission } from "../../../../src/fleet/queue/admission/admissions.ts";
import { expireHolder, liveHolder } from "../../../support/fleet/holders.ts";
import { fleetDatabase } from "../../../support/fleet/postgres.ts";

async function world(limits: Partial<Limits>) {
  const database = await fleetDatabase();
  await registerAccounts(database, ["team"]);
  await setLimits(database, "team", limits);
  const holders = await Promise.all([liveHolder(database), liveHolder(database)]);
  const begin = async (run: string, holder: number, entry = 1) => {
    await database.query(
      "INSERT INTO raymond.runs (id, account, status) VALUES ($1, 'team', 'running') ON CONFLICT DO NOTHING",
      [run],
    );
    return admit(database, { run, entry, account: "team", holder });
  };
  const seen = async () => (await listAccounts(database, "team"))[0];
  return { database, holders, begin, seen };
}

it("admits at most the limit of concurrent runs, under concurrent requests", async () => {
  const { holders, begin, seen } = await world({ runs: 3 });

  const asked = Array.from({ length: 12 }, (_, at) =>
    begin(`r${String(at)}`, at % 2 === 0 ? holders[0] : holders[1]),
  );
  const admitted = (await Promise.all(asked)).filter(Boolean);

  expect(admitted).toHaveLength(3);
  expect(await seen()).toMatchObject({ runs: 3, waiting: 9 });
});

it("admits one run for each that ends, and for all of a dead worker; requests are idempotent", async () => {
  const { database, holders, begin, seen } = await world({ runs: 2 });
  const [first, second] = holders;
  await begin("a", first);
  await begin("b", first);

  expect(await begin("a", first)).toBe(true);
  expect(await begin("c", second)).toBe(false);
  await endAdmission(database, "a", first);
  expect(await begin("c", second)).toBe(true);
  expect(await begin("d", second)).toBe(false);
  await expireHolder(database, first);
  expect(await begin("d", second)).toBe(true);
  expect(await seen()).toMatchObject({ runs: 2, waiting: 0 });
});

it("counts runs started in the period of the rate limit, and no resumed run twice", async () => {
  const { database, holders, begin } = await world({ rate: { runs: 2, ms: 3_600_000 } });
  const [holder] = holders;
  await begin("a", holder);
  await begin("b", holder);

  expect(await begin("c", holder)).toBe(false);
  expect(await begin("a", holder)).toBe(true);
  expect(await begin("a", holder, 2)).toBe(true);
  await database.query(
    "UPDATE raymond.run_starts SET at = at - interval '1 hour 1 second' WHERE run = 'a'",
  );
  expect(await begin("c", holder)).toBe(true);
});

it("counts runs that were admitted before the limit was set", async () => {
  const { database, holders, begin } = await world({});
  const [holder] = holders;
  await begin("a", holder);
  await begin("b", holder);

  await setLimits(database, "team", { runs: 1 });
  expect(await begin("c", holder)).toBe(false);
  await endAdmission(database, "a", holder);
  expect(await begin("c", holder)).toBe(false);
  await endAdmission(database, "b", holder);
  expect(await begin("c", holder)).toBe(true);
});
