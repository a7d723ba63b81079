import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { obeyCommandLine } from "../../src/cli/program.ts";
import { raymond, start } from "../support/cli.ts";
import { serverOfAll } from "../support/postgres.ts";
import { keepingShell } from "../support/shell.ts";
import { fleetScene, type Scene } from "./fleet-scene.ts";
import { waitForFile } from "./scene.ts";

/** A prompt, a worker, a call, and a result: something of all that commands tell of. */
const WORKFLOW = {
  "w/1_START.sh": `echo '<fork next="2_ASK.md">HELP.sh</fork>'`,
  "w/HELP.sh": 'echo "<result>helped</result>"',
  "w/2_ASK.md": "---\nmodel: haiku\n---\nSay something.",
  "w/3_END.sh": 'echo "<result>done</result>"',
  "w/w.sim.yaml": "states:\n  2_ASK.md:\n    - reply: <goto>3_END.sh</goto>\n",
};

const completed = ({ status }: { readonly status: string }) => status === "completed";

/** What a command prints, in this process. */
async function said({ project }: Scene, ...words: readonly string[]): Promise<string> {
  const shell = keepingShell(project.dir, project.env);
  await obeyCommandLine(["node", "raymond", ...words], shell);
  return shell.stdout();
}

/** The names of all that a value has, down to the last; of a list those that any of its members has. */
function namesIn(value: unknown, place = ""): readonly string[] {
  if (Array.isArray(value)) {
    return [...new Set(value.flatMap((each) => namesIn(each, `${place}[]`)))].toSorted();
  }
  if (typeof value !== "object" || value === null) return [place];
  return Object.entries(value)
    .flatMap(([name, of]) => namesIn(of, `${place}.${name}`))
    .toSorted();
}

describe("the commands of a fleet", () => {
  it("say of a run that is moved to a machine which is not there that it waits for that, queued", async () => {
    const scene = await fleetScene(WORKFLOW);
    const id = await scene.submit("w", "--workspace", "shared");
    await scene.database.query("INSERT INTO raymond.machines (id) VALUES ('m0')");

    const { stdout } = await scene.call("move", id, "--to", "m0");

    expect(await said(scene, "prune", id, "--dry-run")).toContain("queued");
    expect(stdout).toContain(`${id} waits for m0, which is gone. Start its worker`);
  });

  it("say of a run that was set aside what to do", async () => {
    const scene = await fleetScene(WORKFLOW);
    const missing = path.join(scene.project.dir, "missing");
    const id = await scene.submit("w", "--simulate", "--folder", missing);
    const lacking = await scene.submit("w", "--claude", "/nowhere/claude");
    await scene.worker("m1");

    const { set_aside: aside } = await scene.rowOf(id, (row) => row.set_aside !== null);
    const { set_aside: without } = await scene.rowOf(lacking, (row) => row.set_aside !== null);

    await scene.rowOf(id, ({ status }) => status === "failed");
    const { stdout: log } = await scene.call("logs", id);
    const { stdout: followed } = await scene.call("logs", "-f", id);

    expect(log).toContain("is not on the machine m1. Make it there");
    expect(followed).toBe(log);
    expect(aside).toContain("is not on the machine m1. Make it there");
    expect(without).toContain(
      "there is no program at /nowhere/claude. It was found on the machine m1. Install it",
    );
  });

  it("resume a run that stopped for its question once that is answered", async () => {
    const scene = await fleetScene({
      "w/1_START.sh": `echo '<ask next="2_END.sh">Go on?</ask>'`,
      "w/2_END.sh": 'echo "<result>done</result>"',
    });
    await scene.worker("m1");
    const id = await scene.submit("w", "--on-ask", "stop");
    await scene.rowOf(id, ({ status }) => status === "paused");

    const { stdout } = await scene.call("answer", id, "yes");

    expect(stdout).toContain("The run is queued: a worker resumes it.");
    await scene.rowOf(id, completed);
  });

  it("tell scripts by the same names what they tell of a run of this project", async () => {
    const scene = await fleetScene(WORKFLOW);
    await scene.worker("m1");
    const id = await scene.submit("w", "--simulate");
    await raymond(["run", "w", "--simulate", "--workflow-id", "here"], { project: scene.project });
    await scene.rowOf(id, completed);
    // All is told once nobody holds it.
    await said(scene, "logs", id, "-f");

    const of = async (command: string, ...words: readonly string[]) => {
      const text = await said(scene, command, ...words, "--json");
      return namesIn(text.startsWith("{\n") ? JSON.parse(text) : linesOf(text));
    };
    for (const command of ["status", "show", "why", "cost", "logs", "report", "replay"]) {
      expect(await of(command, id), command).toEqual(await of(command, "here", "--no-fleet"));
    }
    expect(await of("list")).toEqual(await of("list", "--no-fleet"));
    expect(await of("diff-runs", id, id)).toEqual(
      await of("diff-runs", "here", "here", "--no-fleet"),
    );
    expect(await of("graph", "--run", id)).toEqual(
      await of("graph", "--run", "here", "--no-fleet"),
    );
    // One that is called as one that was deleted begins like any other.
    await said(scene, "prune", id, "--yes");
    await scene.submit("w", "--simulate", "--workflow-id", id);
    await scene.rowOf(id, completed);
    await said(scene, "logs", id, "-f");
    // What its rows hold, in bytes: some thousands.
    expect(await said(scene, "prune", id, "--dry-run")).toMatch(/would delete .* \d+\.\d KiB\n/);
    // Where another machine has run it, its workflow comes out of the database.
    await rm(path.join(scene.project.dir, "m1"), { recursive: true });
    expect(await said(scene, "graph", "--run", id)).toContain("2_ASK");
    expect(await said(scene, "replay", id)).toContain("would go the same way");
  });
});

describe("raymond submit --wait", () => {
  const waiting = () =>
    fleetScene({
      "w/1_START.sh": `echo began >> began\n${waitForFile("go", "echo '<goto>2_END.sh</goto>'")}`,
      "w/2_END.sh": 'echo "<result>done</result>"',
    });
  const submit = ({ project }: Scene, ...flags: readonly string[]) =>
    start(["submit", "w", "--wait", "--folder", ".", ...flags], { project });

  it("shows the run until it ends, over a restart of the database, and ends as it does", async () => {
    const scene = await waiting();
    await scene.worker("m1");
    const server = await serverOfAll();
    const submitted = submit(scene);
    await scene.project.fileWith("began");
    await submitted.waitForStderr(/1_START/);

    await server.stop("at once");
    await server.start();
    await scene.project.write("go", "");

    expect(await submitted.exit).toMatchObject({
      exitCode: 0,
      stdout: "done\n",
      stderr: expect.stringMatching(
        /^submitted wf-.*\n(?:.*\n)*.*2_END(?:.*\n)*completed/,
      ) as string,
    });
    expect(await scene.project.read("began")).toBe("began\n");
  });

  it("leaves the run alone at Ctrl-C, and says how to look at it and to stop it", async () => {
    const scene = await waiting();
    await scene.worker("m1");
    const submitted = submit(scene);
    await submitted.waitForStderr(/1_START/);

    submitted.kill("SIGINT");
    const { exitCode, stderr } = await submitted.exit;
    const [id = ""] = /wf-\S+/.exec(stderr) ?? [];
    await scene.project.write("go", "");

    expect(exitCode).toBe(130);
    expect(stderr).toContain(`raymond attach ${id}; to end it: raymond stop ${id}\n`);
    await scene.rowOf(id, completed);
  });

  it("begins not before its time, and has the exit code of a run that fails", async () => {
    const scene = await fleetScene({ "w/START.sh": "exit 3" });
    await scene.worker("m1");
    const before = Date.now();

    const { exitCode, stdout } = await submit(scene, "--at", "2s", "--no-wait", "--json").exit;
    const events = linesOf(stdout) as readonly { readonly type: string; readonly at: string }[];

    expect(exitCode).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: "run.ended" });
    const begun = events.find(({ type }) => type === "step.started");
    expect(Date.parse(begun?.at ?? "") - before).toBeGreaterThanOrEqual(2_000);
  });
});

function linesOf(text: string): readonly unknown[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
