import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { WORKFLOWS } from "./sample.ts";
import { simulate } from "./simulate.ts";

const ITEMS =
  '# what is to be done\nadd a --json flag\n\n  \r\nsay "hello" & <b>wave</b>\r\nthe last, without a line end';

/** The folder that raymond prepends to the PATH of scripts. */
const ON_PATH = [join(WORKFLOWS, "../bin/path"), process.env["PATH"] ?? ""].join(delimiter);

describe("workflows/fork-workers", () => {
  it("starts a worker for each line of the file, and concludes when all have ended", async () => {
    const project = await tempProject({ "items.txt": ITEMS });

    const done = await simulate("fork-workers", project);

    expect(done).toMatchObject({ exitCode: 0, stdout: "All items are small.\n" });
    expect(done.visited("main")).toEqual([
      "START.sh",
      ...["DISPATCH.sh", "DISPATCH.sh", "DISPATCH.sh", "DISPATCH.sh"],
      "SUMMARIZE.md",
    ]);
    for (const worker of ["main_worker1", "main_worker2", "main_worker3"]) {
      expect(done.visited(worker)).toEqual(["WORKER.sh", "WORK.md", "COLLECT.sh"]);
    }
    expect(done.run.results).toMatchObject({ main_worker3: "Item 3 is done." });
    expect(done.run.total_cost_usd).toBeCloseTo(0.19, 6);
    const item = 'say "hello" & <b>wave</b>';
    expect(await project.read("fork-workers/results/2.md")).toBe(
      `# ${item}\n\n${item}: small, two files, no risk.\n`,
    );
    expect(await project.read("fork-workers/results/3.md")).toContain(
      "the last, without a line end",
    );
  });

  it("starts no workers and costs nothing if the file has no items", async () => {
    const project = await tempProject({ "todo.txt": "# none yet\n" });

    const done = await simulate("fork-workers", project, ["--var", "items=todo.txt"]);

    expect(done.stdout).toBe("There was nothing to do: todo.txt holds no items.\n");
    expect(done.run.total_cost_usd).toBe(0);
  });

  it("reports the name of the missing file", async () => {
    const project = await tempProject({});

    const done = await simulate("fork-workers", project);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain("There is no items.txt here");
  });

  it("loses no line if its dispatcher is killed and repeated", async () => {
    const project = await tempProject({ "items.txt": "one\ntwo\n" });
    const script = (name: string, attempt: number) =>
      execFileSync("bash", [join(WORKFLOWS, "fork-workers", name)], {
        cwd: project.dir,
        env: { ...project.env, PATH: ON_PATH, RAYMOND_ATTEMPT: String(attempt) },
        encoding: "utf8",
      });
    script("START.sh", 1);

    const outputs = [1, 2, 1, 2, 1].map((attempt) => script("DISPATCH.sh", attempt).trim());

    const fork = (number: number, item: string) =>
      `<fork next="DISPATCH" number="${String(number)}" item="${item}">WORKER</fork>`;
    expect(outputs).toEqual([
      fork(1, "one"),
      fork(1, "one"),
      fork(2, "two"),
      fork(2, "two"),
      "<join>SUMMARIZE</join>",
    ]);
  });
});
