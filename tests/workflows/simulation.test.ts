import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { raymond, start } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { resume } from "./simulate.ts";

const START = "---\nallowed_transitions:\n  - { tag: result }\n---\nSay something.\n";
const RUN = ["--simulate", "--workflow-id", "wf-test"];

describe("raymond --simulate", () => {
  it("needs no client, and marks the run as simulated", async () => {
    const project = await tempProject({
      "flow/START.md": START,
      "flow/a.sim.yaml": 'states:\n  START: [{ reply: "<result>it is {{result}}</result>" }]\n',
    });

    const done = await raymond(["flow", ...RUN, "--input", "me", "--claude", "/nowhere"], {
      project,
    });

    expect(done).toMatchObject({ exitCode: 0, stdout: "it is me\n" });
    expect(done.stderr).toContain("simulated");
  });

  it("finds the replies next to a zip", async () => {
    const project = await tempProject({
      "flow.zip.sim.yaml": 'states:\n  START: [{ reply: "<result>zipped</result>" }]\n',
    });
    const zip = zipSync({ "START.md": strToU8(START) });
    await writeFile(join(project.dir, "flow.zip"), zip);

    expect(await raymond(["flow.zip", ...RUN], { project })).toMatchObject({
      exitCode: 0,
      stdout: "zipped\n",
    });
  });

  it.each([
    ["there are no replies", {}, "simulation/not-found"],
    [
      "a reply is misspelt",
      { "flow/a.sim.yaml": "states:\n  START:\n    - rely: x\n" },
      "a.sim.yaml:3:7",
    ],
  ])("exits with 2 before a run is created: %s", async (_, files, words) => {
    const project = await tempProject({ "flow/START.md": START, ...files });

    const refused = await raymond(["flow", ...RUN], { project });

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain(words);
    await expect(project.run("wf-test")).rejects.toThrow("ENOENT");
  });

  it("uses the next reply for a reminder", async () => {
    const project = await tempProject({
      "flow/START.md": START,
      "flow/a.sim.yaml":
        'states:\n  START: [{ reply: "I forgot.", cost: 0.02 }, { reply: "<result>now</result>" }]\n',
    });

    const done = await raymond(["flow", ...RUN], { project });

    expect(done).toMatchObject({ exitCode: 0, stdout: "now\n" });
    expect((await project.run("wf-test")).total_cost_usd).toBeCloseTo(0.03, 6);
  });

  it("retries after a simulated crash with the next reply", async () => {
    const project = await tempProject({
      "flow/START.md": START,
      "flow/a.sim.yaml":
        'states:\n  START: [{ fail: crash, message: It fell over. }, { reply: "<result>up</result>" }]\n',
    });

    const done = await raymond(["flow", ...RUN], { project });

    expect(done).toMatchObject({ exitCode: 0, stdout: "up\n" });
    expect(done.stderr).toContain("It fell over.");
  });

  it("resumes simulated, and repeats the interrupted reply", async () => {
    const project = await tempProject({
      "flow/START.md": START,
      "flow/a.sim.yaml":
        'states:\n  START: [{ reply: "<result>first</result>", delay: 1h }, { reply: "<result>second</result>" }]\n',
    });
    const running = start(["flow", ...RUN], { project });
    await running.waitForStderr(/START\.md\n/);
    running.kill("SIGINT");
    expect(await running.exit).toMatchObject({ exitCode: 130, stdout: "" });
    await project.write(
      "flow/a.sim.yaml",
      'states:\n  START: [{ reply: "<result>first</result>" }]\n',
    );

    expect(await resume(project)).toMatchObject({ exitCode: 0, stdout: "first\n" });
  });
});
