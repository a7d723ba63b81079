import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { runCommandLine } from "../../../src/cli/parse/tree.ts";
import { postgresStore } from "../../../src/fleet/store/store.ts";
import { quietFleet } from "../../support/fleet/quiet-fleet.ts";
import { run } from "../../support/runs.ts";
import { testShell } from "../../support/test-shell.ts";
import { until } from "../../support/until.ts";

async function fleet() {
  const quiet = await quietFleet();
  const { database, machine, say } = quiet;
  await machine("berlin", { pools: ["gpu", "default"], accounts: ["team"] });
  await machine("paris");
  await database.query("INSERT INTO raymond.accounts (name) VALUES ('team')");
  await database.query(`INSERT INTO raymond.workflows (hash, name, bytes) VALUES ('h', 'w', '')`);
  await database.query(
    `INSERT INTO raymond.schedules (name, cron, zone, next_at, run, placement, workflow_hash)
     VALUES ('nightly', '@daily', 'UTC', now() + interval '1 day', '{}', '{}', 'h')`,
  );
  const offered = async (...words: readonly string[]) => {
    const asked = [...words.slice(0, -1), `:${words.at(-1) ?? ""}`];
    // On a machine that has much else to do the database does not answer soon each time.
    return until(`what is offered for ${words.join(" ")}`, async () => {
      const { out } = await say("completion", "words", "--", ...asked);
      const lines = out
        .split("\n")
        .flatMap((line) => (line === "" ? [] : line.replace("\t", ": ")));
      return lines.length === 0 ? undefined : lines;
    });
  };
  return { ...quiet, offered };
}

it("completes names of a fleet", async () => {
  const { offered } = await fleet();
  const machines = ["berlin: works", "paris: works"];

  expect(await offered("fleet", "drain", "")).toEqual(machines);
  expect(await offered("fleet", "move", "r1", "--to", "p")).toEqual([machines[1]]);
  expect(await offered("submit", "w", "--machine", "")).toEqual(machines);
  expect(await offered("submit", "w", "--pool=")).toEqual([
    "--pool=default: 2 workers",
    "--pool=gpu: 1 worker",
  ]);
  expect(await offered("submit", "w", "--account", "")).toEqual(["team: 1 worker"]);
  expect(await offered("fleet", "limits", "set", "")).toEqual(["team: 1 worker"]);
  expect(await offered("fleet", "schedules", "pause", "n")).toEqual(["nightly: @daily"]);
});

it("offers nothing if the fleet is missing or does not respond", async () => {
  const mute = new Set<Socket>();
  const server = createServer((socket) => mute.add(socket));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    for (const socket of mute) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  for (const of of ["1", String(port)]) {
    const shell = testShell("/", { RAYMOND_FLEET: `postgresql://u:p@127.0.0.1:${of}/raymond` });
    const words = ["completion", "words", "--", "drain", ":"];
    await runCommandLine(["node", "raymond", ...words], shell);
    expect([shell.stdout(), shell.stderr()]).toEqual(["", ""]);
  }
});

it("suggests a name of the fleet for a misspelled one", async () => {
  const { say, database } = await fleet();
  const store = postgresStore(database, "/nowhere");
  await store.save(run({ id: "night-shift", status: "completed", agents: [] }), 0);
  await store.close();
  const meant = (name: string) => ({
    hint: expect.stringMatching(new RegExp(`Did you mean ${name}\\?`)) as string,
  });

  await expect(say("fleet", "drain", "berlni")).rejects.toMatchObject(meant("berlin"));
  await expect(say("fleet", "move", "night-shift", "--to", "pariss")).rejects.toMatchObject(
    meant("paris"),
  );
  await expect(say("submit", "w", "--pool", "gup")).rejects.toMatchObject(meant("gpu"));
  await expect(say("submit", "w", "--account", "taem")).rejects.toMatchObject(meant("team"));
  await expect(say("fleet", "limits", "set", "teem", "--runs", "1")).rejects.toMatchObject(
    meant("team"),
  );
  await expect(say("fleet", "schedules", "pause", "nihgtly")).rejects.toMatchObject(
    meant("nightly"),
  );
  await expect(say("fleet", "schedules", "puase", "nightly")).rejects.toMatchObject({
    hint: expect.stringContaining("Did you mean: raymond fleet schedules pause?") as string,
  });
  await expect(say("status", "night-shfit")).rejects.toMatchObject(meant("night-shift"));
  await expect(say("fleet", "move", "nightshift", "--to", "paris")).rejects.toMatchObject(
    meant("night-shift"),
  );
});
