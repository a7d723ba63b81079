import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Graph } from "../../src/analysis/graph/graph.ts";
import { runCommandLine } from "../../src/cli/parse/tree.ts";
import { rerun } from "../../src/run/rerun.ts";
import { start } from "../../src/run/start.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { tempProject } from "../support/project.ts";
import { testShell } from "../support/test-shell.ts";

const FLOW = {
  "flow/START.sh": "echo '<fork next=\"END\">WORK</fork>'\n",
  "flow/WORK.sh": "echo '<result>w</result>'\n",
  "flow/END.sh": "echo '<result>done</result>'\n",
  "flow/NEVER.sh": "echo '<result>never</result>'\n",
};

async function draw(cwd: string, line: string) {
  const shell = testShell(cwd);
  const words = ["node", "raymond", "graph", ...line.split(" ").filter((word) => word !== "")];
  const error: unknown = await runCommandLine(words, shell).catch((reason: unknown) => reason);
  return { error, out: shell.stdout(), err: shell.stderr() };
}

describe("raymond graph", () => {
  it("shows the path of a run on its workflow", async () => {
    const { dir } = await tempProject(FLOW);
    await start({ workflow: "flow" }, thisProcess({ cwd: dir }));

    const { out } = await draw(dir, "--run latest --json");

    const { title, nodes, edges } = JSON.parse(out) as Graph & { readonly title: string };
    expect(title).toMatch(/^flow, wf-/);
    const visits = nodes.map(({ id, visited }) => [id, visited?.visits ?? null] as const);
    expect(Object.fromEntries(visits)).toEqual({
      ...{ "START.sh": 1, "WORK.sh": 1, "END.sh": 1, "NEVER.sh": null },
      ...{ "end:main": null, "end:worker": null },
    });
    const times = edges.map(({ from, to, times }) => [`${from} ${to}`, times] as const);
    expect(Object.fromEntries(times)).toEqual({
      ...{ "START.sh WORK.sh": 1, "START.sh END.sh": 1 },
      ...{ "WORK.sh end:worker": 1, "END.sh end:main": 1 },
    });
  });

  it("counts only the steps of a rerun itself", async () => {
    const { dir } = await tempProject({
      "flow/START.sh": "echo '<goto>END</goto>'\n",
      "flow/END.sh": "echo '<result>done</result>'\n",
    });
    const { id } = await start({ workflow: "flow" }, thisProcess({ cwd: dir }));
    await rerun({ run: id, from: "2" }, thisProcess({ cwd: dir }));

    const { out } = await draw(dir, "--run latest --json");

    const { nodes } = JSON.parse(out) as Graph;
    expect(nodes.find(({ id }) => id === "START.sh")?.visited).toBeNull();
    expect(nodes.find(({ id }) => id === "END.sh")?.visited?.visits).toBe(1);
  });

  it("names the missing workflow of a run", async () => {
    const { dir } = await tempProject(FLOW);
    await start({ workflow: "flow" }, thisProcess({ cwd: dir }));
    await rm(path.join(dir, "flow"), { recursive: true });

    const { error } = await draw(dir, "--run latest");

    expect(error).toMatchObject({
      code: "run/scope-gone",
      message: expect.stringContaining(path.join(dir, "flow")) as string,
    });
  });

  it("prints Mermaid, and selects the format by the file extension", async () => {
    const { dir } = await tempProject(FLOW);

    expect((await draw(dir, "flow")).out).toMatch(/^flowchart TD\n/);
    expect((await draw(path.join(dir, "flow"), "--format dot")).out).toMatch(/^digraph /);
    const written = await draw(dir, "flow --output flow.svg");

    expect(written).toMatchObject({ out: "", err: "Wrote flow.svg.\n" });
    expect(await readFile(path.join(dir, "flow.svg"), "utf8")).toMatch(/^<svg /);
  });

  it("prints a thousand states as text, and refuses to draw them", async () => {
    const next = (n: number) => `echo '<goto>S${String(n + 1)}</goto>'`;
    const names = Array.from({ length: 1_000 }, (_, n) => n);
    const states = names.map((n) => [`big/S${String(n)}.sh`, next(n)] as const);
    const { dir } = await tempProject({ ...Object.fromEntries(states), "big/START.sh": next(-1) });

    expect((await draw(dir, "big")).out.match(/goto/g)).toHaveLength(1_001);
    expect((await draw(dir, "big --format svg")).error).toMatchObject({
      code: "workflow/graph-too-large",
    });
  });

  it.each([
    ["flow --format png", "cli/bad-flag"],
    ["flow --output flow.png", "cli/bad-flag"],
    ["nothing", "workflow/not-found"],
    ["flow --output no/such/flow.svg", "cli/no-folder"],
    ["", "workflow/not-a-workflow"],
    ["--run wf-2026-01-01-aaaaaa", "store/unknown-run"],
  ])("reports an error for: %s", async (line, code) => {
    const { dir } = await tempProject(FLOW);

    expect((await draw(dir, line)).error).toMatchObject({ code });
  });
});
