import { describe, expect, it } from "vitest";
import {
  type Limits,
  listAccounts,
  registerAccounts,
  setLimits,
} from "../../../../src/fleet/queue/accounts.ts";
import {
  type ClientReport,
  endCooldown,
  releaseSlot,
  requestSlot,
  type SlotRequest,
} from "../../../../src/fleet/queue/admission/account-slots.ts";
import { expireHolder, liveHolder } from "../../../support/fleet/holders.ts";
import { fleetDatabase } from "../../../support/fleet/postgres.ts";

const HOUR = 3_600_000;

async function world(limits: Partial<Limits> = {}) {
  const database = await fleetDatabase();
  await registerAccounts(database, ["team"]);
  await setLimits(database, "team", limits);
  const first = await liveHolder(database);
  const second = await liveHolder(database);
  const steps = new Map<string, SlotRequest>();
  const stepOf = async (run: string, holder: number) => {
    const known = steps.get(run);
    if (known !== undefined) return known;
    await database.query(
      "INSERT INTO raymond.runs (id, account, status) VALUES ($1, 'team', 'running')",
      [run],
    );
    const made = { run, agent: "main", process: 1, account: "team", holder };
    steps.set(run, made);
    return made;
  };
  const ask = async (run: string, holder = first) =>
    (await requestSlot(database, await stepOf(run, holder))).kind;
  const end = async (run: string, report: ClientReport = { kind: "reached-model" }) =>
    releaseSlot(database, await stepOf(run, first), report, Date.now());
  const seen = async () => (await listAccounts(database, "team"))[0];
  return { database, first, second, ask, end, seen, stepOf };
}

const limit = (resetsAt: number | null = Date.now() + HOUR): ClientReport => ({
  kind: "limit",
  resetsAt,
  message: "Until nine.",
});

describe("the slots of an account", () => {
  it("are never granted to more steps than the limit, nor one to two, under concurrent requests", async () => {
    const { database, first, second, ask, seen } = await world({ slots: 3 });

    const asked = Array.from({ length: 12 }, (_, at) =>
      ask(`r${String(at)}`, at % 2 === 0 ? first : second),
    );
    const granted = (await Promise.all(asked)).filter((kind) => kind === "granted");
    const rows = await database.query<{ number: number }>(
      "SELECT number FROM raymond.slots ORDER BY number",
    );

    expect(granted).toHaveLength(3);
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await seen()).toMatchObject({ slots: 3, waiting: 9 });
  });

  it("are released when the process has ended or the worker is dead; requests are idempotent", async () => {
    const { database, second, first, ask, end, seen } = await world({ slots: 2 });
    await ask("a");
    await ask("b");

    expect(await ask("a")).toBe("granted");
    expect(await ask("c", second)).toBe("wait");
    await end("a");
    expect(await ask("c", second)).toBe("granted");
    expect(await ask("d", second)).toBe("wait");
    await expireHolder(database, first);
    expect(await ask("d", second)).toBe("granted");
    expect(await seen()).toMatchObject({ slots: 2, waiting: 0 });
  });

  it("count steps that were running when the limit was set", async () => {
    const { database, ask, end } = await world();
    for (const run of ["a", "b", "c"]) expect(await ask(run)).toBe("granted");

    await setLimits(database, "team", { slots: 2 });
    expect(await ask("d")).toBe("wait");
    await end("a");
    expect(await ask("d")).toBe("wait");
    await end("b");
    expect(await ask("d")).toBe("granted");
  });
});

describe("a usage limit of an account", () => {
  it("blocks new steps; then one probes, and all follow if it succeeds", async () => {
    const { database, ask, end, second, seen } = await world();
    await ask("a");
    await ask("b");
    await end("a", limit());
    await end("b");

    expect(await ask("c")).toBe("limited");
    expect(await seen()).toMatchObject({ cooldown: { message: "Until nine." } });
    await endCooldown(database, "a");
    const asked = await Promise.all(
      ["c", "d", "e"].map((run, at) => ask(run, at === 0 ? undefined : second)),
    );
    expect(asked.toSorted()).toEqual(["granted", "wait", "wait"]);
    const probe = ["c", "d", "e"][asked.indexOf("granted")] ?? "";
    const others = ["c", "d", "e"].filter((run) => run !== probe);
    await end(probe);
    for (const run of others) expect(await ask(run)).toBe("granted");
    expect(await seen()).toMatchObject({ cooldown: null });
  });

  it("is reached again by the probe: all wait again; a dead probe makes room for another", async () => {
    const { database, ask, end, first, second } = await world();
    await ask("a");
    await end("a", limit());
    await endCooldown(database, "a");

    expect(await ask("b")).toBe("granted");
    await end("b", limit());
    expect(await ask("c")).toBe("limited");
    await endCooldown(database, "a");
    expect(await ask("d", first)).toBe("granted");
    expect(await ask("e", second)).toBe("wait");
    await expireHolder(database, first);
    expect(await ask("e", second)).toBe("granted");
  });

  it("without a known end is retried after growing pauses, as within one run", async () => {
    const { database, ask, end, seen } = await world();
    const left = async () => ((await seen())?.cooldown?.until.getTime() ?? 0) - Date.now();
    await ask("a");
    await ask("b");
    await end("a", limit(null));
    await end("b", limit(null));
    const first = await left();
    await endCooldown(database, "a");
    await ask("c");
    await end("c", limit(null));

    expect(Math.round(first / 60_000)).toBe(5);
    expect(Math.round((await left()) / 60_000)).toBe(10);
  });
});

it("waits for the next day when the daily budget is exhausted, and reports that", async () => {
  const { database, ask, stepOf, first } = await world({ perDayMicroUsd: 2_000_000 });
  const spend = (microUsd: number) =>
    database.query(
      `INSERT INTO raymond.account_days VALUES ('team', (now() AT TIME ZONE 'UTC')::date, $1)
       ON CONFLICT (account, day) DO UPDATE SET micro_usd = $1`,
      [microUsd],
    );

  await spend(1_999_999);
  expect(await ask("a")).toBe("granted");
  await spend(2_100_000);
  const refused = await requestSlot(database, await stepOf("b", first));
  await setLimits(database, "team", { perDayMicroUsd: null });

  expect(refused).toMatchObject({
    kind: "limited",
    message: expect.stringContaining("has spent $2.10 of its daily budget of $2.00") as string,
  });
  expect(refused.kind === "limited" && refused.ms > 0 && refused.ms <= 24 * HOUR).toBe(true);
  expect(await ask("b")).toBe("granted");
});
