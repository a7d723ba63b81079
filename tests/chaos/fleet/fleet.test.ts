import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmod, mkdir, readdir, utimes } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { prepareFleet } from "../../../src/fleet/admin/fleet.ts";
import { openFleetRuns } from "../../../src/fleet/admin/open.ts";
import { setLimits } from "../../../src/fleet/queue/accounts.ts";
import { type SubmitOptions, submit } from "../../../src/fleet/queue/submit.ts";
import type { Database } from "../../../src/fleet/store/database.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { type FakeClient, fakeClient } from "../../fixtures/fake-client.ts";
import { start } from "../../support/cli.ts";
import { openedDatabase, startTestServer } from "../../support/fleet/postgres.ts";
import { type TestRepository, testRepository } from "../../support/fleet/repository.ts";
import { tempProject } from "../../support/project.ts";
import { until } from "../../support/until.ts";
import { reportFigure, size } from "../figures.ts";
import { CHAOS_MAIN } from "../place.ts";
import { type FleetFault, injectFaults } from "./faults.ts";
import { findLeftovers } from "./leftovers.ts";
import { type Machine, startMachine, TTL_MS } from "./machine.ts";
import { type Money, moneyOf, type Paid } from "./money.ts";
import { operate } from "./operator.ts";
import { ASKED_ALONE, FILES, ORDER, REPLIES, WHOLES, type Whole } from "./work.ts";

/*
 * `npm run chaos -- --fleet`: workers are killed, terminated, paused, partitioned and lose their database while they
 * execute twenty runs, which an operator stops, moves and resumes with commands that are also killed. Then the next
 * twenty, until the time is over. One machine uses a PID namespace, and all of its processes are paused with its
 * worker, as in a paused container. A fourth machine has no working client.
 */

const GIVEN = process.env["RAYMOND_FLEET_SEED"];
// Even seeds: without costs that count twice, each row of the ledger is the cost of one call.
const SEED = GIVEN === undefined ? 2 * randomInt(2 ** 30) : Number(GIVEN);
const SECONDS = size("RAYMOND_FLEET_SECONDS", 1);
const RUNS = 20;
const CLIENT_MACHINES = ["m1", "m2", "m3"];
/** It claims only runs without prompts. */
const NO_CLIENT = "m4";
/** Cost of one call, or of the conversation so far. */
const VERSIONS = ["2.1.250", "2.1.330"] as const;

it(`completes all runs of a fleet and records all costs despite faults, from seed ${String(SEED)}`, async () => {
  const server = await startTestServer({ settings: { synchronous_commit: "on" } });
  onTestFinished(() => server.end());
  const database = openedDatabase(server.url, { patienceMs: 60_000, name: "the test" });
  await prepareFleet(database);
  const version = VERSIONS[SEED % 2] ?? VERSIONS[0];
  const client = await fakeClient({ version, replies: REPLIES, transcripts: true });
  onTestFinished(() => client.remove());
  const plain = await tempProject(FILES);
  const { dir } = plain;
  const temp = path.join(dir, "..", "tmp");
  await mkdir(temp);
  const repository = await testRepository(path.join(dir, "..", "git"), {
    "README.md": "read me\n",
  });
  const env = {
    ...plain.env,
    ...{ EFFECTS: path.join(dir, "effects"), TMPDIR: temp },
    ...{ RAYMOND_CLAUDE: client.command, CLAUDE_FAKE: client.env["CLAUDE_FAKE"] ?? "" },
  };
  const project = { ...plain, env };
  const machines = await Promise.all(
    [...CLIENT_MACHINES, NO_CLIENT].map(async (id) => {
      // Each machine has its own client data.
      const config = path.join(dir, id, "client");
      await mkdir(config, { recursive: true });
      await project.write(`${id}.toml`, `[accounts.team]\nconfig_dir = "${config}"\n`);
      await chmod(path.join(dir, `${id}.toml`), 0o600);
      const lacking = id === NO_CLIENT && { RAYMOND_CLAUDE: path.join(dir, "no-client") };
      const own = { CLAUDE_CONFIG_DIR: config, ...lacking };
      const ownProcesses = id === "m3" && canUnshare();
      return startMachine(id, server.url, project, { env: own, ownProcesses });
    }),
  );
  const caller = thisProcess({ cwd: dir, env });
  const killed = async (words: readonly string[], afterMs: number) => {
    const to = { RAYMOND_FLEET: server.url };
    const running = start(words, { project, main: CHAOS_MAIN, env: to });
    const timer = setTimeout(() => {
      running.kill("SIGKILL");
    }, afterMs);
    await running.exit.finally(() => {
      clearTimeout(timer);
    });
  };
  await until("the workers", async () => {
    const rows = await database.query("SELECT 1 FROM raymond.accounts");
    return rows.length > 0 ? true : undefined;
  });
  await setLimits(database, "team", { slots: 3, runs: 5 });
  const began = performance.now();
  const faults: FleetFault[] = [];
  const deeds: string[] = [];
  const failures: string[] = [];
  let [rounds, lost, twice] = [0, 0, 0];
  do {
    const fleet = await openFleetRuns(server.url, caller, { patienceMs: 60_000 });
    const ids = new Map<string, Whole>();
    for (let nth = 0; nth < RUNS; nth += 1) {
      const [workflow, placement] = workOf(
        nth,
        dir,
        repository,
        await repository.git("rev-parse", "HEAD"),
      );
      const simulate = workflow === "simulated";
      const settings = { onAsk: "wait" } as const;
      const wanted = { workflow, simulate, settings, attributes: {}, placement };
      const whole = WHOLES[workflow];
      if (whole !== undefined) ids.set(await submit(wanted, fleet, caller), whole);
    }
    const over = new AbortController();
    const striking = injectFaults(SEED + rounds, machines, server, over.signal);
    const attending = operate(
      SEED + rounds,
      [...ids.keys()],
      { fleet, caller, machines: CLIENT_MACHINES, killed },
      over.signal,
    );
    const ended = await Promise.race([
      until("the end of all runs", () => allOver(database, [...ids.keys()]), 600_000).catch(String),
      attending.then(() => "the operator has stopped"),
    ]);
    over.abort();
    const [struck, attended] = await Promise.all([striking, attending]);
    await fleet.close();
    faults.push(...struck);
    deeds.push(...attended.done);
    failures.push(...attended.failures);
    if (typeof ended === "string") failures.push(ended);
    const { problems, ...money } = await problemsOf(database, ids, client, machines);
    failures.push(...problems);
    lost += money.lost;
    twice += money.twice;
    const back = stepsBack(await project.read("effects"), [...ids.keys()]);
    // A worker that is paused between a save and the start of its step starts it when it continues.
    if (back.length > struck.filter(({ kind }) => kind === "hang").length) failures.push(...back);
    failures.push(...(await filesOff(ids, repository)));
    rounds += 1;
  } while (performance.now() - began < SECONDS * 1000 && failures.length === 0);
  await sweepTemp(temp, () => killed(["fleet", "workers"], 60_000));
  failures.push(...(await findLeftovers(database, machines, project, temp)));

  const ends = machines.flatMap(({ lives }) => lives.map(({ how }) => how ?? "alive"));
  // 70 is for bugs.
  if (ends.includes("70")) failures.push("a worker has ended by a bug");
  if (failures.length > 0) {
    console.log([...faults.map(({ what }) => what), ...deeds].join("\n"));
    for (const each of machines) console.log(`--- ${each.id}\n${each.said()}`);
  }
  await reportFigure({ what: "fleet runs with fault injection", count: rounds * RUNS, failures });
  await reportFigure({ what: "fleet faults", count: faults.length, failures: [] });
  await reportFigure({ what: "commands to its runs meanwhile", count: deeds.length, failures: [] });
  console.log(
    `${String(rounds)} rounds; faults ${counts(faults.map(({ kind }) => kind))}; commands ${counts(deeds.map(firstWord))}; ends of workers ${counts(ends)}; micro-dollars: ${String(lost)} uncounted, ${String(twice)} twice`,
  );
  expect(failures).toEqual([]);
});

/** Temporary files of killed commands: the next command deletes them, or an hour later if their owner is unknown. */
async function sweepTemp(temp: string, command: () => Promise<unknown>): Promise<void> {
  const before = new Date(Date.now() - 2 * 3_600_000);
  for (const name of await readdir(temp)) await utimes(path.join(temp, name), before, before);
  await command();
}

/** Whether PID namespaces are available: on Linux as root. */
function canUnshare(): boolean {
  const words = ["--pid", "--fork", "--mount-proc", "true"];
  return spawnSync("unshare", words, { stdio: "ignore" }).status === 0;
}

/** The workflow and placement of the nth run of a round. */
function workOf(
  nth: number,
  dir: string,
  { remote }: TestRepository,
  commit: string,
): [string, SubmitOptions["placement"]] {
  const placed = {
    ...{ pool: "default", account: nth % 3 === 0 ? "team" : null, pinned: null },
    failoverAfterMs: TTL_MS + 1_000,
  };
  const home = { kind: "home" } as const;
  const shared = { kind: "shared", folder: dir } as const;
  const local = { kind: "local", folder: null } as const;
  const git = { kind: "git", repository: remote, commit, subfolder: "" } as const;
  switch (nth % 5) {
    case 0:
      return ["forks", { ...placed, workspace: local, sessions: home }];
    case 1:
      return [
        "simulated",
        { ...placed, workspace: nth % 2 === 0 ? shared : local, sessions: home },
      ];
    case 2:
      return ["files", { ...placed, workspace: git, sessions: { kind: "pg" } }];
    default:
      return ["forks", { ...placed, workspace: shared, sessions: { kind: "pg" } }];
  }
}

async function allOver(database: Database, ids: readonly string[]): Promise<true | undefined> {
  const left = await database.query(
    "SELECT 1 FROM raymond.runs WHERE id = ANY($1) AND status IS DISTINCT FROM 'completed'",
    [ids],
  );
  return left.length === 0 ? true : undefined;
}

interface Ended extends Paid {
  readonly status: string;
  readonly steps: number;
}

/** Violations, one line each: runs must be complete, with all transitions and costs. */
async function problemsOf(
  database: Database,
  ids: ReadonlyMap<string, Whole>,
  client: FakeClient,
  machines: readonly Machine[],
): Promise<Money> {
  const rows = await database.query<Ended>(
    `SELECT id, status, steps, state::jsonb->>'token' AS token, cost_micro_usd AS cost,
       round((state::jsonb->'totals'->>'estimated_usd')::numeric * 1000000)::bigint AS estimated
     FROM raymond.runs WHERE id = ANY($1)`,
    [[...ids.keys()]],
  );
  const runs = new Map(
    rows.flatMap((paid) => {
      const whole = ids.get(paid.id);
      return whole === undefined ? [] : [[paid.id, { paid, whole }] as const];
    }),
  );
  const unlike = rows.filter(
    ({ id, status, steps }) => status !== "completed" || steps !== ids.get(id)?.steps,
  );
  const { problems, ...money } = await moneyOf(runs, database, client, machines);
  const misplaced = await database.query<{ id: string }>(
    `SELECT id FROM raymond.runs WHERE id = ANY($1) AND home = $2 AND workflow NOT LIKE '%simulated'`,
    [[...ids.keys()], NO_CLIENT],
  );
  const strangers = (await client.calls()).flatMap(({ env }) => {
    const { RAYMOND_WORKFLOW_ID: run = "", RAYMOND_AGENT_ID: agent = "" } = env;
    const known = agent === "main" || ASKED_ALONE.includes(agent);
    return ids.has(run) && !known ? `an agent too much asks in ${run}: ${agent}` : [];
  });
  return {
    problems: [
      ...[...unlike.map((row) => JSON.stringify(row)), ...problems, ...strangers],
      ...misplaced.map(({ id }) => `${id} was claimed without a working client`),
    ],
    ...money,
  };
}

/** Agents that repeated a completed step, and unexpected agents of forks, one line each. */
function stepsBack(effects: string, ids: readonly string[]): readonly string[] {
  const starts = new Map<string, number[]>();
  const strange: string[] = [];
  for (const line of effects.split("\n").filter((each) => each !== "")) {
    const [run = "", agent = "", state = ""] = line.split(" ");
    if (!ids.includes(run)) continue;
    const place = ORDER[agent]?.indexOf(state) ?? -1;
    if (place < 0) strange.push(line);
    const key = `${run} ${agent}`;
    starts.set(key, [...(starts.get(key) ?? []), place]);
  }
  const back = [...starts].filter(([, places]) =>
    places.some((place, at) => place < (places[at - 1] ?? 0)),
  );
  return [...strange, ...back.map(([key, places]) => `${key} went back: ${places.join(" ")}`)];
}

/** Runs whose files in the remote do not match their steps. A repeated step has written twice. */
async function filesOff(
  ids: ReadonlyMap<string, Whole>,
  { inRemote }: TestRepository,
): Promise<readonly string[]> {
  const found = await Promise.all(
    [...ids].map(async ([id, whole]) => {
      if (whole !== WHOLES["files"]) return [];
      const log = await inRemote("show", `refs/raymond/${id}/main:log`).catch(String);
      const lines = log.split("\n").filter((line, at, all) => line !== all[at - 1]);
      return lines.join(" ") === "START TWO END" ? [] : `the files of ${id}: ${log}`;
    }),
  );
  return found.flat();
}

function counts(words: readonly string[]): string {
  const by = new Map<string, number>();
  for (const word of words) by.set(word, (by.get(word) ?? 0) + 1);
  return [...by].map(([word, count]) => `${word} ${String(count)}`).join(", ");
}

function firstWord(text: string): string {
  const [word = ""] = text.split(" ");
  return text.includes("refused") ? `${word} (refused)` : word;
}
