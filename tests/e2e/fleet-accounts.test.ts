import { chmod } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { fleetScene, type Scene } from "./fleet-scene.ts";

const SECRET = "sk-nobody-else-knows";
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
    FAKE_CLAUDE: path.join(project.dir, "script.json"),
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
  it("pays the prompts of its runs where a worker has it, and nobody else learns its secrets", async () => {
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

  it("is refused where no worker has ever had it, and waited for, in words, while none is there", async () => {
    const scene = await accountScene(PROMPT);
    const first = await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.worker("m2");

    const unknown = await scene.call("submit", "w", "--account", "taem");
    const elsewhere = await scene.call("submit", "w", "--account", "team", "--machine", "m2");
    first.kill("SIGTERM");
    await first.exit;
    const id = await scene.submit("w", "--account", "team");
    const waits = "waits for a worker with the account team (gone: m1)";
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
    expect(unknown.stderr).toContain("No worker has ever listened for the account taem.");
    expect(unknown.stderr).toContain("Did you mean team?");
    expect(elsewhere.stderr).toContain("The account team is not known to the machine m2.");
    expect(elsewhere.stderr).toContain("These have it: m1.");
    expect(status).toContain("queued");
    expect(why.stdout).toContain(`It ${waits}.`);
    expect(JSON.parse(json.stdout)).toMatchObject({ held_up: [{ agent: null, message: waits }] });
    expect(without.stderr).toContain("There is no account taem");
  });

  it("is not paid for by another: a worker that has lost it leaves its runs alone until it has it again", async () => {
    const scene = await accountScene({
      "w/1_START.sh":
        'echo >> "$FOLDER/began"\nuntil [ -e "$FOLDER/go" ]; do sleep 0.05; done\necho "<goto>2_WORK.md</goto>"',
      "w/2_WORK.md": "Work.",
    });
    const worker = await scene.worker("m1", "--accounts", "accounts.toml");
    const id = await scene.submit("w", "--account", "team", "--machine", "m1");
    await scene.project.fileWith("began");

    worker.kill("SIGTERM");
    await worker.exit;
    await scene.project.write("go", "");
    const without = await scene.worker("m1");
    await without.waitForStderr(/waits, as this worker has no credentials of the account team/);
    without.kill("SIGTERM");
    await without.exit;
    await scene.worker("m1", "--accounts", "accounts.toml");
    await scene.rowOf(id, completed);

    expect((await callsOf(scene)).map(({ env }) => env["CLAUDE_CODE_OAUTH_TOKEN"])).toEqual([
      SECRET,
    ]);
  });
});

/** All that the database holds, as one text. */
async function everything({ database }: Scene): Promise<string> {
  const [row] = await database.query<{ xml: string }>(
    `SELECT database_to_xml(true, false, '')::text AS xml`,
  );
  return row?.xml ?? "";
}
