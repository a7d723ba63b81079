import { chmod } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { fleetScene, type Scene } from "./scene.ts";

const SECRET = "sk-known-to-one-account";
const ACCOUNTS = `[accounts.team.env]\nCLAUDE_CODE_OAUTH_TOKEN = "${SECRET}"\n`;
const PROMPT = { "w/1_START.md": "Work." };
const REPLIES = { replies: [{ say: "<result>done</result>", times: "always" }] };

/** A fleet whose client does what the script says, with a file of accounts. */
async function accountScene(
  files: Readonly<Record<string, string>>,
  script: object = REPLIES,
  accounts = ACCOUNTS,
): Promise<Scene> {
  const scene = await fleetScene({
    ...files,
    "accounts.toml": accounts,
    "script.json": JSON.stringify(script),
  });
  const { project } = scene;
  await chmod(path.join(project.dir, "accounts.toml"), 0o600);
  const env = {
    ...project.env,
    PATH: `${path.resolve("tests/fixtures/bin")}:${project.env["PATH"] ?? ""}`,
    CLAUDE_FAKE: path.join(project.dir, "script.json"),
    FOLDER: project.dir,
  };
  Object.assign(project, { env });
  return scene;
}

const completed = ({ status }: { readonly status: string }) => {
  if (status === "failed") throw new Error("the run has failed");
  return status === "completed";
};

interface Call {
  readonly env: Readonly<Record<string, string>>;
}

async function callsOf({ project }: Scene): Promise<readonly Call[]> {
  const text = await project.read("script.json.calls.jsonl");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Call);
}

describe("an account", () => {
  it("is used for the prompts of its runs, and other processes cannot read its secrets", async () => {
    const scene = await accountScene({
      "w/1_START.sh": 'env > "$FOLDER/seen"\necho "<goto>2_WORK.md</goto>"',
      "w/2_WORK.md": "Work.",
    });
    await scene.worker("m2");
    const worker = await scene.worker("m1", "--accounts", "accounts.toml");

    const id = await scene.submit("w", "--account", "team");
    const row = await scene.rowOf(id, completed);
    const own = await scene.submit("w");
    await scene.rowOf(own, completed);

    expect(row.home).toBe("m1");
    const [call, other] = await callsOf(scene);
    expect(call?.env["CLAUDE_CODE_OAUTH_TOKEN"]).toBe(SECRET);
    expect(other?.env).not.toHaveProperty("CLAUDE_CODE_OAUTH_TOKEN");
    expect(await scene.project.read("seen")).not.toContain(SECRET);
    const rows = await everything(scene);
    expect(rows).toContain(id);
    expect(rows).not.toContain(SECRET);
    worker.kill("SIGTERM");
    const { stdout, stderr } = await worker.exit;
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it("is rejected if no worker ever had it, and waited for with a message while no worker is alive", async () => {
    const scene = await accountScene(PROMPT);
    const first = await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.worker("m2");

    const unknown = await scene.call("submit", "w", "--account", "taem");
    const elsewhere = await scene.call("submit", "w", "--account", "team", "--machine", "m2");
    first.kill("SIGTERM");
    await first.exit;
    const id = await scene.submit("w", "--account", "team");
    const waits = "waits for a worker that serves account team (gone: m1)";
    const status = await until("the words", async () => {
      const { stdout } = await scene.call("status", id);
      return stdout.includes(waits) ? stdout : undefined;
    });
    const why = await scene.call("why", id);
    const json = await scene.call("status", id, "--json");
    // Its home in all but name: it is handed what it has no credentials for.
    const without = await scene.call("worker", "--accounts", "accounts.toml", "--account", "taem");
    await scene.worker("m1", "--accounts", "accounts.toml", "--account", "team");
    await scene.rowOf(id, completed);

    expect(unknown).toMatchObject({ exitCode: 2 });
    expect(unknown.stderr).toContain("No worker has ever served the account taem.");
    expect(unknown.stderr).toContain("Did you mean team?");
    expect(elsewhere.stderr).toContain("The account team is not available on machine m2.");
    expect(elsewhere.stderr).toContain("These machines serve it: m1.");
    expect(status).toContain("queued");
    expect(why.stdout).toContain(`It ${waits}.`);
    expect(JSON.parse(json.stdout)).toMatchObject({ held_up: [{ agent: null, message: waits }] });
    expect(without.stderr).toContain("has no account taem");
  });

  it("is never replaced by another: a worker that lost it does not claim its runs", async () => {
    const scene = await accountScene({
      "w/1_START.sh":
        'echo >> "$FOLDER/began"\nuntil [ -e "$FOLDER/go" ]; do sleep 0.2; done\necho "<goto>2_WORK.md</goto>"',
      "w/2_WORK.md": "Work.",
    });
    const worker = await scene.worker("m1", "--accounts", "accounts.toml");
    const id = await scene.submit("w", "--account", "team", "--machine", "m1");
    await scene.project.fileWith("began");

    worker.kill("SIGTERM");
    await worker.exit;
    await scene.project.write("go", "");
    const without = await scene.worker("m1");
    await without.waitForStderr(/waits: this worker does not serve account team/);
    without.kill("SIGTERM");
    await without.exit;
    await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.rowOf(id, completed);

    expect((await callsOf(scene)).map(({ env }) => env["CLAUDE_CODE_OAUTH_TOKEN"])).toEqual([
      SECRET,
    ]);
  });
});

describe("the limits of an account", () => {
  it("limit concurrent runs across two workers, and can change while runs wait", async () => {
    const scene = await accountScene({
      "in/.keep": "",
      "w/1_START.sh": `mkdir "$FOLDER/in/$RAYMOND_WORKFLOW_ID"
ls "$FOLDER/in" | wc -l >> "$FOLDER/counts"
until [ -e "$FOLDER/go" ]; do sleep 0.2; done
rmdir "$FOLDER/in/$RAYMOND_WORKFLOW_ID"
echo "<result>done</result>"`,
    });
    const { project } = scene;
    await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.worker("m2", "--accounts", "accounts.toml");
    await scene.call("fleet", "limits", "set", "team", "--runs", "2");
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await scene.submit("w", "--account", "team"));
    await project.fileWith("counts", (text) => text.split("\n").length > 2);

    const words = "waits for the run limit of account team (2 of 2 running)";
    const waiting = await until("a run that waits", async () => {
      for (const id of ids) {
        const { stdout } = await scene.call("status", id);
        if (stdout.includes(words)) return id;
      }
      return undefined;
    });
    const shown = await scene.call("fleet", "limits");
    await project.write("go", "");
    for (const id of ids) await scene.rowOf(id, completed);
    const counts = (await project.read("counts")).trim().split("\n").map(Number);
    await scene.call("fleet", "limits", "set", "team", "--rate", "3/1d");
    const late = await scene.submit("w", "--account", "team");
    await until("words about the rate", async () =>
      (await scene.call("status", late)).stdout.includes("(5 of 3/1d started)") ? true : undefined,
    );
    await scene.call("fleet", "limits", "set", "team", "--rate", "none", "--runs", "none");
    await scene.rowOf(late, completed);

    expect(waiting).toBeDefined();
    expect(shown.stdout).toMatch(/team +m1 m2 +2 of 2 +any +0 +\$0\.00 +\d waiting/);
    expect(counts).toHaveLength(5);
    expect(Math.max(...counts)).toBe(2);
  });

  it("are rejected with a message if they limit nothing", async () => {
    const scene = await accountScene({});
    await scene.worker("m1", "--accounts", "accounts.toml");

    const other = await scene.call("fleet", "limits", "set", "taem", "--runs", "2");
    const none = await scene.call("fleet", "limits", "set", "team");
    const zero = await scene.call("fleet", "limits", "set", "team", "--runs", "0");
    const rate = await scene.call("fleet", "limits", "set", "team", "--rate", "10");
    const set = await scene.call(
      ...["fleet", "limits", "set", "team", "--rate", "10/h", "--runs", "3", "--json"],
    );

    expect(other).toMatchObject({ exitCode: 2 });
    expect(other.stderr).toContain("Did you mean team?");
    expect(none.stderr).toContain("No limit of team was given.");
    expect(zero.stderr).toContain('--runs cannot be "0"');
    expect(rate.stderr).toContain("runs per duration, such as 10/1h");
    expect(JSON.parse(set.stdout)).toMatchObject({
      ...{ account: "team", machines: ["m1"], max_runs: 3, max_slots: null, per_day_usd: null },
      rate: { runs: 10, per_s: 3600 },
    });
  });
});

/** A client that waits until there is a file `go`, and counts how many there are at once. */
const counted = (folder: string) => `#!/bin/bash
case " $* " in *" --version "* | *" auth "*) exec "${FAKE_CLIENT}" "$@" ;; esac
mkdir "${folder}/in/$$"
trap 'rmdir "${folder}/in/$$"' EXIT
ls "${folder}/in" | wc -l >> "${folder}/counts"
until [ -e "${folder}/go" ]; do sleep 0.2; done
"${FAKE_CLIENT}" "$@"
`;
const FAKE_CLIENT = path.resolve("tests/fixtures/bin/claude");

describe("the clients of an account", () => {
  it("are limited by slots across two workers; waiting runs are visible and can be stopped", async () => {
    const scene = await accountScene({ ...PROMPT, "in/.keep": "" });
    const { project } = scene;
    await project.write("bin/claude", counted(project.dir));
    await chmod(path.join(project.dir, "bin/claude"), 0o755);
    const env = {
      ...project.env,
      PATH: `${path.join(project.dir, "bin")}:${project.env["PATH"] ?? ""}`,
    };
    Object.assign(project, { env });
    await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.worker("m2", "--accounts", "accounts.toml");
    await scene.call("fleet", "limits", "set", "team", "--slots", "2");
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await scene.submit("w", "--account", "team"));

    const words = "waits for a slot of account team (2 of 2 in use)";
    const waiting = await until("a step that waits", async () => {
      for (const id of ids) {
        const { stdout } = await scene.call("status", id);
        if (stdout.includes(words)) return id;
      }
      return undefined;
    });
    const json = await scene.call("status", waiting, "--json");
    const logged = await scene.call("logs", waiting);
    const stopped = await scene.call("stop", waiting);
    await project.write("go", "");
    for (const id of ids.filter((each) => each !== waiting)) await scene.rowOf(id, completed);
    await scene.call("resume", waiting);
    await scene.rowOf(waiting, completed);
    const counts = (await project.read("counts")).trim().split("\n").map(Number);

    expect(JSON.parse(json.stdout)).toMatchObject({ held_up: [{ agent: "main", message: words }] });
    expect(logged.stdout).toContain("waits for account team");
    expect(stopped.stdout).toContain("interrupted");
    expect(counts).toHaveLength(5);
    expect(Math.max(...counts)).toBe(2);
  });

  it("share a usage limit across machines; one tests it first, and all complete", async () => {
    const limited = { do: "limit", resetsIn: 3_600, times: 1 };
    const scene = await accountScene(PROMPT, { replies: [limited, ...REPLIES.replies] });
    await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.worker("m2", "--accounts", "accounts.toml");
    const waits = ({ status }: { readonly status: string }) => status === "waiting";
    const first = await scene.submit("w", "--account", "team");
    await scene.rowOf(first, waits);
    const others: string[] = [];
    for (let n = 0; n < 4; n += 1) others.push(await scene.submit("w", "--account", "team"));
    for (const id of others) await scene.rowOf(id, waits);

    const before = await callsOf(scene);
    const status = await scene.call("status", others[0] ?? "");
    const limits = await scene.call("fleet", "limits");
    await scene.call("retry", first);
    for (const id of [first, ...others]) await scene.rowOf(id, completed);
    const calls = (await callsOf(scene)).map(({ env }) => env["RAYMOND_WORKFLOW_ID"]);

    expect(before).toHaveLength(1);
    expect(status.stdout).toContain("A run of account team has reached a usage limit");
    expect(limits.stdout).toContain("usage limit until");
    expect(calls.slice(0, 2)).toEqual([first, first]);
    expect(calls.slice(2).toSorted()).toEqual(others.toSorted());
  });

  it("wait with a message while the daily budget is used up, and continue when it is raised", async () => {
    const scene = await accountScene(
      { "w/1_START.md": "Begin.", "w/2_MORE.md": "More." },
      { replies: [{ match: "Begin", say: "<goto>2_MORE</goto>", cost: 0.5 }, ...REPLIES.replies] },
    );
    await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.call("fleet", "limits", "set", "team", "--per-day", "0.4");

    const id = await scene.submit("w", "--account", "team");
    await scene.rowOf(id, ({ status }) => status === "waiting");
    const status = await scene.call("status", id);
    const limits = await scene.call("fleet", "limits");
    await scene.call("fleet", "limits", "set", "team", "--per-day", "none");
    await scene.rowOf(id, completed);

    expect(status.stdout).toContain("Account team has spent $0.50 of its daily budget of $0.40");
    expect(limits.stdout).toContain("daily limit of $0.40 reached (UTC)");
  });
});

/** All that the database holds, as one text. */
async function everything({ database }: Scene): Promise<string> {
  const [row] = await database.query<{ xml: string }>(
    `SELECT database_to_xml(true, false, '')::text AS xml`,
  );
  return row?.xml ?? "";
}
