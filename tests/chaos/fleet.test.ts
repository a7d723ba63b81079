import { randomInt } from "node:crypto";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFleetRuns } from "../../src/fleet/open.ts";
import { submit } from "../../src/fleet/submit.ts";
import { thisProcess } from "../../src/runs/caller.ts";
import { prepareFleet } from "../../src/runs/wire/fleet.ts";
import type { Database } from "../../src/stores/postgres/database.ts";
import { type FakeClient, fakeClient } from "../fixtures/fake-client.ts";
import { openedDatabase, startTestServer } from "../support/postgres.ts";
import { tempProject } from "../support/project.ts";
import { until } from "../support/until.ts";
import { size, tell } from "./figures.ts";
import { strike } from "./fleet-blows.ts";
import { startMachine } from "./fleet-machine.ts";

/*
 * `npm run chaos -- --fleet`: three workers are killed, hang, are cut off, and lose their database, while
 * they go on with twenty runs; then with twenty more, as long as it is to take.
 */

const GIVEN = process.env["RAYMOND_FLEET_SEED"];
const SEED = GIVEN === undefined ? randomInt(2 ** 31) : Number(GIVEN);
const SECONDS = size("RAYMOND_FLEET_SECONDS", 30);
const RUNS = 20;

const acts = (state: string, rest: string) =>
  `echo "$RAYMOND_WORKFLOW_ID $RAYMOND_AGENT_ID ${state}" >>"$EFFECTS"\nsleep 0.2\necho '${rest}'\n`;
const WORKFLOW = {
  "w/1_START.sh": acts("START", "<fork>ONE</fork><fork>TWO</fork><join>MERGE</join>"),
  "w/ONE.md": "[ONE] Work.\n",
  "w/TWO.sh": acts("TWO", "<goto>THREE</goto>"),
  "w/THREE.sh": acts("THREE", "<result>three</result>"),
  "w/MERGE.sh": acts("MERGE", "<goto>ASK</goto>"),
  "w/ASK.md": "[ASK] Work.\n",
  "w/END.sh": acts("END", "<result>done</result>"),
};
/** Moves of one run; what its prompts cost, micro-dollars. */
const WHOLE = { steps: 7, spent: 30_000 };
/** Of each reply, micro-dollars. */
const PRICES = [10_000, 20_000];
const tools = [{ name: "Bash", ms: 200 }];
const REPLIES = [
  { when: "[ONE]", say: "<result>one</result>", cost: 0.01, times: "always", tools },
  { when: "[ASK]", say: "<goto>END</goto>", cost: 0.02, times: "always", tools },
];

it(`completes all runs of a fleet, and counts no more than was paid, whatever befalls its machines, from seed ${String(SEED)} on`, async () => {
  const server = await startTestServer({ settings: { synchronous_commit: "on" } });
  onTestFinished(() => server.end());
  const database = openedDatabase(server.url, { patienceMs: 60_000 });
  await prepareFleet(database);
  const client = await fakeClient({ replies: REPLIES, transcripts: true });
  onTestFinished(() => client.remove());
  const plain = await tempProject(WORKFLOW);
  const { dir } = plain;
  const more = { EFFECTS: path.join(dir, "effects"), RAYMOND_CLAUDE: client.command };
  const project = {
    ...plain,
    env: { ...plain.env, ...more, FAKE_CLAUDE: client.env["FAKE_CLAUDE"] ?? "" },
  };
  const machines = await Promise.all(
    ["m1", "m2", "m3"].map((id) => startMachine(id, server.url, project)),
  );
  const caller = thisProcess({ cwd: dir, env: project.env });
  const began = performance.now();
  const blows: string[] = [];
  const failures: string[] = [];
  let rounds = 0;
  do {
    const fleet = await openFleetRuns(server.url, caller);
    const ids: string[] = [];
    for (let nth = 0; nth < RUNS; nth += 1) {
      const workspace =
        nth % 4 === 0
          ? ({ kind: "local", folder: null } as const)
          : ({ kind: "shared", folder: dir } as const);
      const placement = {
        pool: "default",
        account: null,
        pinned: null,
        workspace,
        sessions: { kind: "home" } as const,
        failoverAfterMs: 3_000,
      };
      ids.push(
        await submit({ workflow: "w", settings: {}, attributes: {}, placement }, fleet, caller),
      );
    }
    await fleet.close();
    const over = new AbortController();
    const striking = strike(SEED + rounds, machines, server, over.signal);
    const ended = await until("the end of all runs", () => allOver(database, ids), 600_000).catch(
      String,
    );
    over.abort();
    const struck = await striking;
    blows.push(...struck);
    if (typeof ended === "string") failures.push(ended);
    failures.push(...(await problemsOf(database, ids, client)));
    const back = stepsBack(await project.read("effects"), ids);
    // One that hangs between a save and the start of its step begins that when it comes back: nobody can know it there.
    if (back.length > struck.filter((blow) => blow.startsWith("hang")).length)
      failures.push(...back);
    rounds += 1;
  } while (performance.now() - began < SECONDS * 1000 && failures.length === 0);

  // 70 is for bugs.
  if (failures.length > 0 || machines.some(({ ends }) => ends.includes("70"))) {
    console.log(blows.join("\n"));
    for (const each of machines) console.log(`--- ${each.id}\n${each.said()}`);
  }
  await tell({ what: "runs of a fleet under blows", count: rounds * RUNS, failures });
  await tell({ what: "blows to a fleet", count: blows.length, failures: [] });
  const ends = machines.flatMap((machine) => machine.ends);
  console.log(
    `${String(rounds * RUNS)} runs, ${String(blows.length)} blows, ends of workers: ${ends.join(" ")}`,
  );
  expect(failures).toEqual([]);
});

async function allOver(database: Database, ids: readonly string[]): Promise<true | undefined> {
  const left = await database.query(
    "SELECT 1 FROM raymond.runs WHERE id = ANY($1) AND (status IN ('running', 'waiting') OR status IS NULL)",
    [ids],
  );
  return left.length === 0 ? true : undefined;
}

interface Ended {
  readonly id: string;
  readonly status: string;
  readonly steps: number;
  readonly set_aside: string | null;
  readonly token: string;
  readonly cost: number;
  readonly spent: number;
}

/** What is not as it was to be, a line each: every run complete with all its moves, its ledger between one pass of its prompts and all that was paid. */
async function problemsOf(
  database: Database,
  ids: readonly string[],
  client: FakeClient,
): Promise<readonly string[]> {
  const rows = await database.query<Ended>(
    `SELECT id, status, steps, set_aside, state::jsonb->>'token' AS token, cost_micro_usd AS cost,
       (SELECT coalesce(sum(micro_usd), 0)::bigint FROM raymond.ledger WHERE run = id) AS spent
     FROM raymond.runs WHERE id = ANY($1)`,
    [ids],
  );
  const calls = await client.calls();
  return rows.flatMap((row) => {
    const own = calls.filter(({ env }) => env["RAYMOND_STEP_TOKEN"]?.startsWith(`${row.token}.`));
    const charged = own.reduce((sum, { reply }) => sum + (PRICES[reply ?? -1] ?? 0), 0);
    const isWhole = row.status === "completed" && row.steps === WHOLE.steps;
    // A client whose worker was killed is asked again: that is paid, and counted as far as it was heard.
    const isCounted = row.spent === row.cost && row.spent >= WHOLE.spent && row.spent <= charged;
    return isWhole && isCounted ? [] : JSON.stringify({ ...row, charged });
  });
}

/** The scripts of each agent in their order. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  main: ["START", "MERGE", "END"],
  main_two2: ["TWO", "THREE"],
};

/** Where an agent has begun a step that was over already, or where a fork has made other agents than it was to: a line each. */
function stepsBack(effects: string, ids: readonly string[]): readonly string[] {
  const begun = new Map<string, number[]>();
  const strange: string[] = [];
  for (const line of effects.split("\n").filter((each) => each !== "")) {
    const [run = "", agent = "", state = ""] = line.split(" ");
    if (!ids.includes(run)) continue;
    const place = ORDER[agent]?.indexOf(state) ?? -1;
    if (place < 0) strange.push(line);
    const key = `${run} ${agent}`;
    begun.set(key, [...(begun.get(key) ?? []), place]);
  }
  const back = [...begun].filter(([, places]) =>
    places.some((place, at) => place < (places[at - 1] ?? 0)),
  );
  return [...strange, ...back.map(([key, places]) => `${key} went back: ${places.join(" ")}`)];
}
