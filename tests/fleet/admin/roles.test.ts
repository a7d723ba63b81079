import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { initFleet } from "../../../src/fleet/admin/fleet.ts";
import { type OpenFleet, openFleetRuns } from "../../../src/fleet/admin/open.ts";
import { ROLE_NAMES } from "../../../src/fleet/admin/roles.ts";
import { changeLimits } from "../../../src/fleet/queue/accounts.ts";
import { loadDbos } from "../../../src/fleet/queue/dbos/dbos.ts";
import { schedule } from "../../../src/fleet/queue/schedules/schedules.ts";
import { DEFAULT_PLACEMENT, submit } from "../../../src/fleet/queue/submit.ts";
import { recordAudit } from "../../../src/fleet/store/audit.ts";
import { drain, move } from "../../../src/fleet/worker/drain.ts";
import { resumeInFleet } from "../../../src/fleet/worker/resume.ts";
import { runWorker } from "../../../src/fleet/worker/worker.ts";
import { list } from "../../../src/inspect/list.ts";
import { setResult } from "../../../src/run/control/set-result.ts";
import { stop } from "../../../src/run/control/stop.ts";
import { prune } from "../../../src/run/prune.ts";
import { type Caller, thisProcess } from "../../../src/wire/caller.ts";
import { emptyDatabaseUrl, openedDatabase } from "../../support/fleet/postgres.ts";
import { tempProject } from "../../support/project.ts";
import { until } from "../../support/until.ts";

/** A fleet with the roles, and a user of each. */
async function fleetWithRoles() {
  const url = await emptyDatabaseUrl();
  const { dir, env } = await tempProject({
    "w/1_START.sh": "echo '<result>done</result>'",
    "f/1_START.sh": "exit 1",
  });
  const caller = thisProcess({ cwd: dir, env });
  const { roles } = await initFleet({ url, roles: true }, caller);
  const owner = openedDatabase(url);
  const name = new URL(url).pathname.slice(1);
  const urls = new Map<string, string>([["owner", url]]);
  for (const user of [...ROLE_NAMES, "other"] as const) {
    const role = user === "other" ? "submitter" : user;
    const login = `${name}_user_${user}`;
    await owner.query(`CREATE ROLE ${login} LOGIN PASSWORD 'secret'`);
    await owner.query(`GRANT "${roles?.names[role] ?? ""}" TO ${login}`);
    const own = new URL(url);
    own.username = login;
    own.password = "secret";
    urls.set(user, own.href);
  }
  const open = async (user: string): Promise<{ fleet: OpenFleet; caller: Caller }> => {
    const fleet = await openFleetRuns(urls.get(user) ?? "", caller);
    onTestFinished(() => fleet.close());
    return { fleet, caller: { ...caller, fleet } };
  };
  const placement = {
    ...DEFAULT_PLACEMENT,
    workspace: { kind: "shared", folder: path.resolve(dir) },
  } as const;
  const submitAs = async (user: string, workflow = "w") => {
    const { fleet } = await open(user);
    return submit({ workflow, placement }, fleet, caller);
  };
  return { url, urls, dir, caller, owner, open, submitAs, placement };
}

type Fleet = Awaited<ReturnType<typeof fleetWithRoles>>;
type Act = (here: Fleet, user: string) => Promise<unknown>;

/** Acts on a run of the user, or of another submitter. */
const onRun =
  (
    whose: "own" | "other",
    act: (id: string, of: { fleet: OpenFleet; caller: Caller }) => Promise<unknown>,
  ): Act =>
  async (here, user) => {
    const of = await here.open(user);
    // A viewer and a worker have no runs of their own.
    const owner = whose === "own" && ["submitter", "operator"].includes(user) ? user : "other";
    return act(await here.submitAs(owner), of);
  };

const ACTIONS: Readonly<Record<string, Act>> = {
  read: async (here, user) => list({}, (await here.open(user)).caller),
  submit: (here, user) => here.submitAs(user),
  "stop own": onRun("own", (run, { caller }) => stop({ run }, caller)),
  "stop other": onRun("other", (run, { caller }) => stop({ run }, caller)),
  "set own": onRun("own", (run, { caller }) =>
    setResult({ run, agent: "main", result: "x" }, caller),
  ),
  "set other": onRun("other", (run, { caller }) =>
    setResult({ run, agent: "main", result: "x" }, caller),
  ),
  "resume own": onRun("own", (run, { fleet, caller }) => resumeInFleet({ run }, fleet, caller)),
  "resume other": onRun("other", (run, { fleet, caller }) => resumeInFleet({ run }, fleet, caller)),
  "prune own": onRun("own", (run, { caller }) => prune({ runs: [run] }, caller)),
  "prune other": onRun("other", (run, { caller }) => prune({ runs: [run] }, caller)),
  move: onRun("other", (run, { fleet, caller }) => move(run, "m", fleet, caller)),
  drain: async (here, user) => {
    const { fleet, caller } = await here.open(user);
    return drain("m", false, fleet, caller);
  },
  limits: async (here, user) =>
    changeLimits((await here.open(user)).fleet.database, "team", { runs: 3 }),
  schedule: async (here, user) => {
    const { fleet } = await here.open(user);
    const wanted = { workflow: "w", placement: here.placement, every: "0 3 * * *", zone: "UTC" };
    return schedule({ ...wanted, id: `at-${user}` }, fleet, here.caller);
  },
  init: (here, user) => initFleet({ url: here.urls.get(user), roles: true }, here.caller),
};

/** What each role may do; otherwise the role that the error names. */
const MATRIX: Readonly<Record<string, Readonly<Record<string, true | string>>>> = {
  viewer: {
    ...{ read: true, submit: "submitter", "stop own": "submitter", "stop other": "submitter" },
    ...{ "set own": "submitter", "set other": "submitter", "resume own": "submitter" },
    ...{ "resume other": "submitter", "prune own": "submitter", "prune other": "submitter" },
    ...{ move: "submitter", drain: "submitter", limits: "operator", schedule: "submitter" },
    init: "owner",
  },
  submitter: {
    ...{ read: true, submit: true, "stop own": true, "stop other": "operator", "set own": true },
    ...{ "set other": "operator", "resume own": true, "resume other": "operator" },
    ...{ "prune own": true, "prune other": "operator", move: "operator", drain: "operator" },
    ...{ limits: "operator", schedule: "operator", init: "owner" },
  },
  operator: {
    ...{ read: true, submit: true, "stop own": true, "stop other": true, "set own": true },
    ...{ "set other": true, "resume own": true, "resume other": true, "prune own": true },
    ...{ "prune other": true, move: true, drain: true, limits: true, schedule: true },
    init: "owner",
  },
  worker: {
    ...{ read: true, submit: "submitter", "stop own": "submitter", "stop other": "submitter" },
    ...{ "set own": "submitter", "set other": "submitter", "resume own": "submitter" },
    ...{ "resume other": "submitter", "prune own": "submitter", "prune other": "submitter" },
    ...{ move: "submitter", drain: "submitter", limits: "operator", schedule: "submitter" },
    init: "owner",
  },
};

it("each role may do exactly what the documentation says, and an error names the missing role", async () => {
  const here = await fleetWithRoles();
  await here.owner.query("INSERT INTO raymond.machines (id) VALUES ('m')");
  await here.owner.query("INSERT INTO raymond.accounts (name) VALUES ('team')");
  const found: Record<string, Record<string, true | string>> = {};
  for (const role of ROLE_NAMES) {
    const results: Record<string, true | string> = {};
    for (const [action, act] of Object.entries(ACTIONS)) {
      results[action] = await act(here, role).then(
        () => true as const,
        (error: unknown) => {
          const text = error instanceof Error ? error.message : String(error);
          return (
            /(?:role (\w+)|the (owner)) /
              .exec(`${text.replace(/\.$/, "")} `)
              ?.slice(1)
              .find(Boolean) ?? text
          );
        },
      );
    }
    found[role] = results;
  }
  expect(found).toEqual(MATRIX);
}, 300_000);

it("entries of the audit table cannot be forged, changed or deleted", async () => {
  const here = await fleetWithRoles();
  const id = await here.submitAs("submitter");
  const { fleet, caller } = await here.open("operator");
  await stop({ run: id }, caller);

  const rows = await here.owner.query(
    "SELECT action, run, actor->>'user' AS user, db_user FROM raymond.audit ORDER BY id",
  );
  const { user } = caller.actor();
  const [submitter, operator] = ["submitter", "operator"].map(
    (name) => new URL(here.urls.get(name) ?? "").username,
  );
  expect(rows).toEqual([
    { action: "submit", run: id, user, db_user: submitter },
    { action: "stop", run: id, user, db_user: operator },
  ]);
  for (const sql of [
    "DELETE FROM raymond.audit",
    "UPDATE raymond.audit SET action = 'x'",
    `INSERT INTO raymond.audit (action, run, actor, db_user) VALUES ('x', '${id}', '{}', 'ann')`,
  ]) {
    await expect(fleet.database.query(sql)).rejects.toMatchObject({ code: "fleet/refused" });
  }
  await recordAudit(fleet.database, { action: "stop", run: null, actor: caller.actor() });
  const submitting = (await here.open("submitter")).fleet.database;
  await expect(
    submitting.query("UPDATE raymond.runs SET submitted_by = 'x' WHERE id = $1", [id]),
  ).rejects.toMatchObject({ message: expect.stringContaining("operator") as string });
});

it("a worker that does not own the tables executes runs, and events name who submitted them", async () => {
  const here = await fleetWithRoles();
  const id = await here.submitAs("submitter");
  const end = new AbortController();
  const worker = runWorker(
    {
      ...{ url: here.urls.get("worker") ?? "", pools: ["default"], slots: 2, version: "1.0.0" },
      ...{ machine: "one", pollMs: 100, stateDir: path.join(here.dir, "one"), signal: end.signal },
      log: () => undefined,
    },
    here.caller,
  );
  try {
    await until("the run", async () => {
      const [row] = await here.owner.query<{ status: string }>(
        "SELECT status FROM raymond.runs WHERE id = $1",
        [id],
      );
      return row?.status === "completed" ? true : undefined;
    });
    const [started] = await until("its events", async () => {
      const rows = await here.owner.query<{ line: string }>(
        "SELECT line FROM raymond.events WHERE run = $1 AND line LIKE '%run.started%'",
        [id],
      );
      return rows.length > 0 ? rows : undefined;
    });
    const { user, host } = here.caller.actor();
    expect(JSON.parse(started?.line ?? "{}")).toMatchObject({
      actor: { user, host, via: "command" },
    });
  } finally {
    end.abort();
    await worker;
    // Other tests of this process launch it again.
    await loadDbos().DBOS.shutdown();
  }
});
