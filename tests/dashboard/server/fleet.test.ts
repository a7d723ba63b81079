import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type {
  ActionResultJson,
  OlderRunsJson,
  RunsJson,
  WorkflowsJson,
} from "../../../src/dashboard/api.ts";
import { newRunActions } from "../../../src/dashboard/server/actions.ts";
import { boardOf } from "../../../src/fleet/admin/board.ts";
import { prepareFleet } from "../../../src/fleet/admin/fleet.ts";
import { openFleetRuns } from "../../../src/fleet/admin/open.ts";
import { registerMachine } from "../../../src/fleet/lease/machines.ts";
import { registerAccounts, setLimits } from "../../../src/fleet/queue/accounts.ts";
import { schedule } from "../../../src/fleet/queue/schedules/schedules.ts";
import { DEFAULT_PLACEMENT } from "../../../src/fleet/queue/submit.ts";
import { type Database, openDatabase } from "../../../src/fleet/store/database.ts";
import { ofAll, placedSummaries } from "../../../src/fleet/store/rows/board-rows.ts";
import {
  changePlacement,
  placeRun,
  storeWorkflow,
} from "../../../src/fleet/store/rows/placed-runs.ts";
import type { Placement } from "../../../src/fleet/store/rows/placement.ts";
import { postgresStore } from "../../../src/fleet/store/store.ts";
import { packForFleet } from "../../../src/fleet/worker/packed-workflow.ts";
import { encodeEvent, eventLine } from "../../../src/log/codec/event-json.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { questionsOf } from "../../../src/machine/moves/question.ts";
import { start } from "../../../src/run/start.ts";
import { locateWorkflow } from "../../../src/scopes/open.ts";
import { systemPlatform } from "../../../src/wire/system/system.ts";
import { openDashboard, projectWith } from "../../support/dashboard.ts";
import { emptyTables, initializedUrl, startTestServer } from "../../support/fleet/postgres.ts";
import { tempFolder } from "../../support/folders.ts";
import { run } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const NONE = ["/nowhere/raymond"] as const;

const ANYWHERE: Placement = {
  ...{ pool: "default", account: null, pinned: null, inside: "", lostSession: "fail", entry: 1 },
  workspace: { kind: "local", folder: null },
  failoverAfterMs: 120_000,
  sessions: { kind: "home" },
  at: null,
};

/** The database of all tests, emptied before each. */
let prepared: Promise<string> | null = null;

/** An empty fleet. */
async function scene(given?: string) {
  prepared ??= given === undefined ? initializedUrl() : null;
  const url = given ?? (await prepared) ?? "";
  const database = openDatabase(url);
  await emptyTables(database);
  await database.query("DELETE FROM raymond.machines");
  const caller = await projectWith({
    "flow/START.sh": "echo '<goto>END.sh</goto>'",
    "flow/END.sh": "echo '<result>done</result>'",
    "ask/START.sh": `echo '<ask next="END.sh" options="yes | no">Ship it?</ask>'`,
    "ask/END.sh": "echo '<result>done</result>'",
  });
  const fleet = await openFleetRuns(url, caller);
  const board = boardOf(fleet);
  const store = postgresStore(database, await tempFolder());
  onTestFinished(async () => {
    await fleet.close();
    await store.close();
    await database.close();
  });
  const located = await locateWorkflow(path.join(caller.cwd, "flow"), systemPlatform());
  const packed = await packForFleet(located, systemPlatform());
  await storeWorkflow(database, packed);
  const submit = async (state: Partial<RunState>, placed: Partial<Placement> = {}) => {
    const made = run({
      workflow: { kind: "folder", path: "/there/flow", entry: "START.sh" },
      ...state,
    });
    const lock = await store.lock(made.id);
    await store.save(made, 0);
    await placeRun(database, made.id, { ...ANYWHERE, ...placed }, packed.hash);
    await lock.release();
    return made.id;
  };
  return { url, database, caller, fleet, board, store, submit };
}

async function logEvents(
  database: Database,
  id: string,
  ...seqs: readonly number[]
): Promise<void> {
  const lines = seqs.map((seq) => {
    const where = { agent: "main", state: "START.sh" } as const;
    const event = encodeEvent({ type: "step.message", ...where, text: `number ${String(seq)}` });
    return { seq, line: eventLine(event, seq, 0) };
  });
  await database.query(
    "INSERT INTO raymond.events (run, seq, line) SELECT $1, * FROM unnest($2::bigint[], $3::text[])",
    [id, lines.map(({ seq }) => seq), lines.map(({ line }) => line)],
  );
}

/** Registers a machine with the last heartbeat `silentMs` ago. */
async function machine(database: Database, id: string, silentMs: number): Promise<void> {
  const [row] = await database.query<{ id: number }>(
    `INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place, heartbeat_at)
     VALUES ($1, $2, 'there', 7, '', '{}', clock_timestamp() - $3 * interval '1 millisecond') RETURNING id`,
    [Math.floor(Math.random() * 2 ** 40), id, silentMs],
  );
  const machine = { id, holder: row?.id ?? 0, pools: ["default"], accounts: [], slots: 4 };
  await registerMachine(database, { ...machine, version: "1.2.3" });
}

describe("the dashboard of a fleet", () => {
  it("lists runs with their machine, queued runs, and runs whose machine is gone", async () => {
    const { database, board, caller, submit } = await scene();
    await machine(database, "here", 0);
    await machine(database, "gone", 600_000);
    await submit({ id: "new-1" }, { pool: "gpu" });
    await submit({ id: "at-home" });
    await database.query(
      `UPDATE raymond.runs SET home = 'gone', holder = machines.holder
         FROM raymond.machines WHERE machines.id = 'gone' AND runs.id = 'at-home'`,
    );
    await submit({ id: "over", status: "completed", agents: [] });
    await changePlacement(database, "over", { open: false });

    const of = await openDashboard(caller, { board });
    const { folders } = (await of.json("/api/runs")) as RunsJson;

    const [fleet] = folders;
    const runs = new Map(fleet?.runs.map((each) => [each.workflow_id, each]));
    expect(runs.get("new-1")).toMatchObject({
      status: "queued",
      place: { pool: "gpu", home: null, waits_for: null },
    });
    expect(runs.get("at-home")).toMatchObject({
      status: "queued",
      place: { home: "gone", waits_for: "gone" },
    });
    expect(runs.get("over")).toMatchObject({ status: "completed", place: { waits_for: null } });
    expect(fleet?.fleet?.machines).toMatchObject([
      { id: "gone", lives: false, runs: 1, slots: 4, active_runs: 0 },
      { id: "here", lives: true, silent_since: null, version: "1.2.3" },
    ]);
    expect(fleet?.fleet?.machines[0]?.silent_since).toMatch(/^\d{4}-/);
    expect(await of.json(`${of.folder}/runs/at-home`)).toMatchObject({
      status: "queued",
      place: { home: "gone", waits_for: "gone" },
    });
    expect(await of.json(`${of.folder}/runs/new-1`)).toMatchObject({
      held_up: [
        { agent: null, message: expect.stringContaining("a worker of pool gpu") as string },
      ],
    });
    expect(await of.json(`${of.folder}/runs/over`)).toMatchObject({ held_up: [] });
    expect(await of.json(`${of.folder}/runs/new-1/steps`)).toMatchObject({ steps: [] });
  });

  it("lists the newest and all active runs, and older ones on request, each once", async () => {
    const { database, board, caller, submit } = await scene();
    await submit({ id: "old-one", startedAt: "2020-01-01T00:00:00.000Z" });
    await submit({ id: "copied", status: "completed", agents: [], startedAt: "2026-01-01" });
    await database.query(
      `INSERT INTO raymond.runs SELECT (r).* FROM (
         SELECT jsonb_populate_record(r, jsonb_build_object('id', 'n-' || n,
           'status', CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'completed' END,
           'workflow', '/flows/' || CASE WHEN n % 50 = 0 THEN 'rare' ELSE 'usual' END,
           'started_at', '2026-02-01T00:00:' || lpad(n::text, 5, '0'))) AS r
         FROM raymond.runs r, generate_series(1, 3000) n WHERE r.id = 'copied') AS made`,
    );
    await database.query("ANALYZE raymond.runs");

    const of = await openDashboard(caller, { board });
    const { folders } = (await of.json("/api/runs")) as RunsJson;
    const first = folders[0]?.runs.map(({ workflow_id: id }) => id) ?? [];
    expect(first).toHaveLength(201);
    expect([first[0], first[199], first[200]]).toEqual(["n-3000", "n-2801", "old-one"]);

    const older = (query: string) =>
      of.json(
        `${of.folder}/runs?after=${encodeURIComponent(folders[0]?.older ?? "")}${query}`,
      ) as Promise<OlderRunsJson>;
    const next = await older("");
    expect(next.runs.map(({ workflow_id: id }) => id)).toEqual(
      Array.from({ length: 200 }, (_, at) => `n-${String(2800 - at)}`),
    );
    const failed = await older("&status=failed");
    expect([failed.runs.length, failed.older]).toEqual([28, null]);
    expect((await older("&words=RARE%20flows")).runs).toHaveLength(56);
    expect((await older("&words=r_re")).runs).toHaveLength(0);
    const bad = await of.get(`${of.folder}/runs?after=x&status=odd`);
    expect([bad.status, await bad.json()]).toMatchObject([400, { code: "serve/bad-request" }]);

    const plan = await database.query(
      `EXPLAIN ${ofAll("")}`.replaceAll(
        /\$\d(::text\[\])?/g,
        (name) =>
          ({ $1: "'2026-02-01T00:00:02000'", $2: "'n-2000'", $3: "200" })[name] ?? "'{}'::text[]",
      ),
    );
    expect(JSON.stringify(plan)).toContain("runs_started");
    const rare = await placedSummaries(database, {
      statuses: ["failed"],
      words: [],
      after: null,
      limit: 3,
    });
    expect(rare.map(({ id }) => id)).toEqual(["n-3000", "n-2900", "n-2800"]);
  });

  it("draws the stored workflow, and sends each event once, also after a reconnect", async () => {
    const { database, board, caller, submit } = await scene();
    const id = await submit({ id: "one" });
    await logEvents(database, id, 1, 2);
    const of = await openDashboard(caller, { board });
    const at = `${of.folder}/runs/${id}`;

    const { nodes } = (await of.json(`${at}/graph`)) as { nodes: readonly { label: string }[] };
    expect(nodes.map(({ label }) => label)).toEqual(expect.arrayContaining(["START", "END"]));

    const received: number[] = [];
    const listen = async (headers: Readonly<Record<string, string>>, upTo: number) => {
      const answer = await of.get(`${at}/events?after=0`, headers);
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      let text = "";
      while (!received.includes(upTo)) {
        const { value } = await reader.read();
        text += new TextDecoder().decode(value);
        const whole = text.split("\n\n");
        text = whole.pop() ?? "";
        for (const one of whole) {
          const seq = /^event: logged\nid: (\d+)/.exec(one)?.[1];
          if (seq !== undefined) received.push(Number(seq));
        }
      }
      await reader.cancel();
    };
    const first = listen({}, 4);
    await until("the first events", () => Promise.resolve(received.includes(2) ? true : undefined));
    await logEvents(database, id, 3, 4);
    await first;
    await logEvents(database, id, 5, 6);
    await listen({ "last-event-id": "4" }, 6);

    expect(received).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("stores an answer, removes a run from its queue, and requeues it", async () => {
    const { database, board, caller, submit } = await scene();
    await machine(database, "here", 0);
    const asked = await start({ workflow: "ask", id: "asks" }, caller);
    const id = await submit({ ...asked, status: "waiting", stopReason: null, saves: 0 });
    const { number } = questionsOf(asked)[0] ?? { number: 0 };
    const of = await openDashboard(caller, { board, actor: newRunActions(NONE) });
    const at = `${of.folder}/runs/${id}`;

    const body = { agent: "main", number, text: "Yes" };
    const answered = await of.post(`${at}/answer`, body);
    expect([answered.status, await answered.json()]).toMatchObject([200, { outcome: "queued" }]);
    expect((await of.post(`${at}/answer`, body)).status).toBe(409);
    const rows = await database.query("SELECT agent, number FROM raymond.answers WHERE run = $1", [
      id,
    ]);
    expect(rows).toEqual([{ agent: "main", number }]);

    expect(await (await of.post(`${at}/stop`, {})).json()).toMatchObject({ outcome: "stopped" });
    expect(await of.json(at)).toMatchObject({ status: "interrupted" });
    expect(await (await of.post(`${at}/resume`, {})).json()).toMatchObject({ outcome: "queued" });
    await until("it is queued again", async () => {
      const { status } = (await of.json(at)) as { status: string };
      return status === "queued" ? true : undefined;
    });

    const looking = await openDashboard(caller, { board });
    expect((await looking.post(`${at}/stop`, {})).status).toBe(403);
  });

  it("submits only workflows of its working folder", async () => {
    const { database, board, caller } = await scene();
    const of = await openDashboard(caller, { board, actor: newRunActions(NONE) });
    const { workflows } = (await of.json(`${of.folder}/workflows`)) as WorkflowsJson;
    expect(workflows.map(({ path }) => path)).toEqual(["ask", "flow"]);
    const startRun = async (body: object) => {
      const answer = await of.post(`${of.folder}/runs`, body);
      return [answer.status, (await answer.json()) as ActionResultJson] as const;
    };

    const [status, started] = await startRun({ workflow: "flow", input: "hello", budget_usd: 2 });
    expect([status, started.outcome]).toEqual([200, "queued"]);
    expect(await of.json(`${of.folder}/runs/${started.workflow_id}`)).toMatchObject({
      status: "queued",
      settings: { budget_usd: 2 },
      place: { pool: "default", account: null, home: null },
    });

    expect(await startRun({ workflow: "flow", pool: "gpu" })).toMatchObject([
      409,
      { code: "fleet/unknown-name" },
    ]);
    expect(await startRun({ workflow: ".." })).toMatchObject([403, { code: "serve/outside" }]);
    expect(await startRun({ workflow: "none" })).toMatchObject([
      404,
      { code: "workflow/not-found" },
    ]);
    expect(await database.query("SELECT id FROM raymond.runs")).toHaveLength(1);
    const looking = await openDashboard(caller, { board });
    expect((await looking.post(`${of.folder}/runs`, { workflow: "flow" })).status).toBe(403);
  });

  it("lists queues with their workers, accounts with their limits, and schedules", async () => {
    const { database, board, caller, submit, fleet } = await scene();
    await machine(database, "here", 0);
    await registerAccounts(database, ["team"]);
    const limits = {
      runs: 2,
      slots: 4,
      perDayMicroUsd: 5_000_000,
      rate: { runs: 9, ms: 3_600_000 },
    };
    await setLimits(database, "team", limits);
    await database.query(
      `UPDATE raymond.accounts SET cooldown_until = '2099-01-01T00:00:00Z', cooldown_message = 'full'`,
    );
    for (const id of ["one", "two"]) await submit({ id });
    await submit({ id: "paid" }, { account: "team" });
    await submit({ id: "later" }, { at: Date.parse("2099-01-01") });
    await submit({ id: "pinned" }, { pinned: "gone" });
    await database.query(
      `INSERT INTO raymond.waiters (run, agent, account, holder) SELECT 'paid', 'main', 'team', holder FROM raymond.machines`,
    );
    const options = { workflow: "flow", placement: DEFAULT_PLACEMENT, id: "nightly" };
    await schedule({ ...options, every: "0 3 * * *", zone: "UTC" }, fleet, caller);

    const of = await openDashboard(caller, { board });
    const { folders } = (await of.json("/api/runs")) as RunsJson;

    expect(folders[0]?.fleet).toMatchObject({
      queues: [
        { machine: null, pool: "default", account: null, runs: 3, later: 1, workers: "available" },
        { machine: null, account: "team", runs: 1, first: "paid", workers: "none" },
        { machine: "gone", runs: 1, first: "pinned", workers: "none" },
      ],
      accounts: [
        {
          ...{ account: "team", runs: 0, max_runs: 2, slots: 0, max_slots: 4, per_day_usd: 5 },
          ...{ rate: { runs: 9, per_s: 3_600 }, waiting: 1, waiting_runs: ["paid"] },
          cooldown: { until: "2099-01-01T00:00:00.000Z", message: "full" },
        },
      ],
      schedules: [{ name: "nightly", workflow: "flow", cron: "0 3 * * *", last_run: null }],
    });
  });

  it("shows the last known data while the database is unavailable, reconnects, and sends no password", async () => {
    const server = await startTestServer();
    onTestFinished(() => server.end());
    const plain = openDatabase(server.url);
    await prepareFleet(plain);
    await plain.close();
    const { password } = new URL(server.url);
    const { database, board, caller, submit } = await scene(server.url);
    const id = await submit({ id: "one" });
    await logEvents(database, id, 1);
    const of = await openDashboard(caller, { board });
    const at = `${of.folder}/runs/${id}`;
    const said: string[] = [];
    const look = async (where: string) => {
      const answer = await of.get(where);
      const text = await answer.text();
      said.push(text);
      return [answer.status, JSON.parse(text) as unknown] as const;
    };
    await look("/api/runs");
    await look(at);
    await look(`${at}/graph`);

    await server.stop("at once");
    const away = { code: "fleet/away" };
    await until("the run is known to be away", async () => {
      const [status, seen] = await look(at);
      expect(status).toBe(200);
      return (seen as { away: unknown }).away === null ? undefined : seen;
    });
    expect(await look(at)).toMatchObject([200, { away, workflow_id: id }]);
    await until("the list is known to be away", async () => {
      const [, { folders }] = (await look("/api/runs")) as [number, RunsJson];
      return folders[0]?.problem === null ? undefined : folders;
    });
    expect(await look("/api/runs")).toMatchObject([
      200,
      { folders: [{ problem: away, runs: [{ workflow_id: id }] }] },
    ]);
    expect(await look(`${of.folder}/runs/other`)).toMatchObject([503, away]);

    await server.start();
    await until("it is back", async () => {
      const [, seen] = await look(at);
      return (seen as { away: unknown }).away === null ? true : undefined;
    });
    await until("the list is back", async () => {
      const [, { folders }] = (await look("/api/runs")) as [number, RunsJson];
      return folders[0]?.problem === null ? true : undefined;
    });
    expect(password).not.toBe("");
    expect(said.join("\n")).not.toContain(password);
    expect(of.bugs).toEqual([]);
  });
});
