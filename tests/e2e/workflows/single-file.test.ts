import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { refusal, scene } from "../scene.ts";

const FLOW = `description: Counts.
input: { description: what to count, required: true }
vars:
  unit: { options: [sheep, stars], default: sheep }
  who: { required: true }
budget: 0.50
states:
  START:
    allowed_transitions: [{ tag: goto, target: COUNT }]
    prompt: |
      Count {{input}} in {{unit}} for {{who}}.
  COUNT:
    sh: |
      [ -e ok ] && echo "<result>$unit $who $(basename "$RAYMOND_STATE_FILE")</result>"
`;

const SIMULATION = 'states:\n  START:\n    - reply: "{{input}}, {{unit}}"\n';

describe("a workflow in one file", () => {
  it("runs simulated, and continues if the original is deleted", async () => {
    const { project, raymond } = await scene({
      "flow.yaml": FLOW,
      "flow.yaml.sim.yaml": SIMULATION,
    });

    const failed = await raymond("flow.yaml --simulate --input x --var who=me --workflow-id one");

    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain("x, sheep");
    expect(await project.run("one")).toMatchObject({
      workflow: { kind: "yaml" },
      settings: { budget_usd: 0.5 },
    });
    expect(failed.stderr).toContain("file: .raymond/runs/one/workflow.yaml");
    await rm(path.join(project.dir, "flow.yaml"));
    const copy = await project.read(".raymond/runs/one/workflow.yaml");
    await project.write(".raymond/runs/one/workflow.yaml", copy.replace("[ -e ok ] && ", ""));
    expect(await raymond("--resume one")).toMatchObject({
      exitCode: 0,
      stdout: "sheep me COUNT.sh\n",
    });
  });

  it("gives flags precedence, and rejects unsupported options", async () => {
    const { project, raymond } = await scene({
      ok: "",
      "flow.yaml": FLOW,
      "flow.yaml.sim.yaml": SIMULATION,
    });
    const line = "flow.yaml --simulate --input x --var who=me";

    const done = await raymond(`${line} --budget 3 --var unit=stars --workflow-id two`);
    expect(done).toMatchObject({ exitCode: 0, stdout: "stars me COUNT.sh\n" });
    expect(await project.run("two")).toMatchObject({ settings: { budget_usd: 3 } });

    for (const [call, said] of [
      ["flow.yaml --simulate --var who=me", "requires --input: what to count"],
      ["flow.yaml --simulate --input x", "requires who"],
      [`${line} --var unit=cows`, 'unit cannot be "cows". Allowed values: sheep, stars'],
    ] as const) {
      const refused = await raymond(call);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refusal(refused)).toContain(said);
    }
  });

  it("describes its inputs, and converts to an equivalent folder", async () => {
    const { project, raymond } = await scene({ "flow.yaml": FLOW, ok: "" });

    const help = await raymond("help flow.yaml");
    expect(help.stdout).toContain("raymond flow.yaml --input TEXT --var who=…");
    expect(help.stdout).toContain("(one of sheep, stars; default: sheep)");
    expect(await raymond("convert flow.yaml -o flow")).toMatchObject({ exitCode: 0, stdout: "" });
    expect((await raymond("help flow")).stdout).toContain("--var who=…");
    expect(refusal(await raymond("flow --start COUNT --input x"))).toContain("requires who");
    expect(await raymond("flow --start COUNT --input x --var who=me")).toMatchObject({
      exitCode: 0,
      stdout: "sheep me COUNT.sh\n",
    });
    expect((await raymond("convert flow")).stdout).toContain("states:\n  COUNT:\n    sh: |");
    expect((await raymond("convert flow.yaml")).exitCode).toBe(2);
    await project.write("flow/workflow.yaml", "name: x\nnotify: rm -rf\n");
    const refused = await raymond("flow");
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refusal(refused)).toContain("workflow.yaml:2:1: A workflow cannot set notify");
  });
});
