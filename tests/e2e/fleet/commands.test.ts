import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../src/cli/parse/tree.ts";
import { raymond, start } from "../../support/cli.ts";
import { serverOfAll } from "../../support/fleet/postgres.ts";
import { testShell } from "../../support/test-shell.ts";
import { waitForFile } from "../scene.ts";
import { fleetScene, type Scene } from "./scene.ts";

/** A workflow with a prompt, a worker, a call and a result. */
const WORKFLOW = {
  "w/1_START.sh": `echo '<fork next="2_ASK.md">HELP.sh</fork>'`,
  "w/HELP.sh": 'echo "<result>helped</result>"',
  "w/2_ASK.md": "---\nmodel: haiku\n---\nSay something.",
  "w/3_END.sh": 'echo "<result>done</result>"',
  "w/w.sim.yaml": "states:\n  2_ASK.md:\n    - reply: <goto>3_END.sh</goto>\n",
};

const completed = ({ status }: { readonly status: string }) => status === "completed";

/** Output of a command in this process. */
async function said({ project }: Scene, ...words: readonly string[]): Promise<string> {
  const shell = testShell(project.dir, project.env);
  await runCommandLine(["node", "raymond", ...words], shell);
  return shell.stdout();
}

/** All property paths of a value; for arrays the union of their elements. */
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
  it("show that a run which was moved to a missing machine is queued for it", async () => {
    const scene = await fleetScene(WORKFLOW);
    const id = await scene.submit("w", "--workspace", "shared");
    await scene.database.query("INSERT INTO raymond.machines (id) VALUES ('m0')");

    const { stdout } = await scene.call("fleet", "move", id, "--to", "m0");

    expect(await said(scene, "prune", id, "--dry-run")).toContain("queued");
    expect(stdout).toContain(`${id} waits for m0, whose worker is not running. Start it`);
  });

  it("show how to handle a run that was set aside", async () => {
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

    expect(log).toContain("does not exist on machine m1. Create it there");
    expect(followed).toBe(log);
    expect(aside).toContain("does not exist on machine m1. Create it there");
    expect(without).toContain(
      "Cannot find the client /nowhere/claude. Found on machine m1. Install it",
    );
  });

  it("resume a run that stopped for its question once that is answered", async () => {
    const scene = await fleetScene({
      "w/1_START.sh": `echo '<ask next="2_END.sh">Continue?</ask>'`,
      "w/2_END.sh": 'echo "<result>done</result>"',
    });
    await scene.worker("m1");
    const id = await scene.submit("w", "--on-ask", "stop");
    await scene.rowOf(id, ({ status }) => status === "paused");

    const { stdout } = await scene.call("answer", id, "yes");

    expect(stdout).toContain("The run is queued: a worker resumes it.");
    await scene.rowOf(id, completed);
  });

  it("use the same JSON names as for runs of a project", async () => {
    const scene = await fleetScene(WORKFLOW);
    await scene.worker("m1");
    const id = await scene.submit("w", "--simulate");
    await raymond(["run", "w", "--simulate", "--workflow-id", "here"], { project: scene.project });
    await scene.rowOf(id, completed);
    // The log is complete when the run is released.
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
    // The name of a deleted run can be used again.
    await said(scene, "prune", id, "--yes");
    await scene.submit("w", "--simulate", "--workflow-id", id);
    await scene.rowOf(id, completed);
    await said(scene, "logs", id, "-f");
    // Size of its rows: some thousand bytes.
    expect(await said(scene, "prune", id, "--dry-run")).toMatch(/would delete .* \d+\.\d KiB\n/);
    // On another machine the workflow is loaded from the database.
    await rm(path.join(scene.project.dir, "m1"), { recursive: true });
    expect(await said(scene, "graph", "--run", id)).toContain("2_ASK");
    expect(await said(scene, "replay", id)).toContain("would not change");
  });
});

describe("raymond submit --wait", () => {
  const waiting = () =>
    fleetScene({
      "w/1_START.sh": `echo began >> began\n${waitForFile("go", "echo '<goto>2_END.sh</goto>'")}`,
      "w/2_END.sh": 'echo "<result>done</result>"',
    });
  const submit = ({ project }: Scene, ...flags: readonly string[]) =>
    start(["submit", "w", "--follow", "--folder", ".", ...flags], { project });

  it("follows the run to its end across a database restart, with its exit code", async () => {
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

  it("detaches at Ctrl-C, and shows how to inspect and stop the run", async () => {
    const scene = await waiting();
    await scene.worker("m1");
    const submitted = submit(scene);
    await submitted.waitForStderr(/1_START/);

    submitted.kill("SIGINT");
    const { exitCode, stderr } = await submitted.exit;
    const [id = ""] = /wf-\S+/.exec(stderr) ?? [];
    await scene.project.write("go", "");

    expect(exitCode).toBe(130);
    expect(stderr).toContain(`raymond attach ${id}. Stop it with: raymond stop ${id}\n`);
    await scene.rowOf(id, completed);
  });

  it("starts at the specified time, and returns the exit code of a failed run", async () => {
    const scene = await fleetScene({ "w/START.sh": "exit 3" });
    await scene.worker("m1");
    const before = Date.now();

    const { exitCode, stdout } = await submit(scene, "--at", "2s", "--no-wait", "--json").exit;
    const events = linesOf(stdout) as readonly { readonly type: string; readonly at: string }[];

    expect(exitCode).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: "run.ended" });
    const started = events.find(({ type }) => type === "step.started");
    expect(Date.parse(started?.at ?? "") - before).toBeGreaterThanOrEqual(2_000);
  });
});

function linesOf(text: string): readonly unknown[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
