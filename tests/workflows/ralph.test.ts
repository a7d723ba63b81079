import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { resume, simulate } from "./simulate.ts";

const TODO =
  "# To do\n\n- [x] begin\n- [ ] write the parser\n- [ ] choose a *licence*\n- [ ] write its tests\n";

describe("workflows/ralph", () => {
  it("completes items one by one, marks items for the user, and ends", async () => {
    const project = await tempProject({ "TODO.md": TODO });

    const done = await simulate("ralph", project);

    expect(done).toMatchObject({ exitCode: 0, stdout: "No item of TODO.md is open, rounds: 3\n" });
    expect(done.visited("main")).toEqual([
      "START.sh",
      ...["PICK.sh", "WORK.md", "TICK.sh"],
      ...["PICK.sh", "WORK.md", "BLOCKED.sh"],
      ...["PICK.sh", "WORK.md", "TICK.sh"],
      "PICK.sh",
    ]);
    expect(await project.read("TODO.md")).toBe(
      "# To do\n\n- [x] begin\n- [x] write the parser\n- [!] choose a *licence*\n- [x] write its tests\n",
    );
  });

  it("starts each round with an empty conversation", async () => {
    const project = await tempProject({ "TODO.md": TODO });

    const { events } = await simulate("ralph", project);

    const work = events.filter(({ type, state }) => type === "step.started" && state === "WORK.md");
    expect(work.map(({ session }) => session)).toEqual(["fresh", "fresh", "fresh"]);
  });

  it("does not complete an item whose check fails", async () => {
    const project = await tempProject({ "TODO.md": "- [ ] one\n" });

    const done = await simulate("ralph", project, [
      ...["--var", "check=echo 1 test failed; false", "--var", "max_rounds=1"],
    ]);

    expect(done.stdout).toBe("Stopped, rounds: 1, items still open in TODO.md: 1\n");
    expect(await project.read("TODO.md")).toBe("- [ ] one\n");
    expect(await project.read("ralph/check.log")).toBe("1 test failed\n");
  });

  it("stops at its budget, and continues with a higher one", async () => {
    const project = await tempProject({ "TODO.md": TODO });

    const stopped = await simulate("ralph", project, ["--budget", "0.11"]);

    expect(stopped).toMatchObject({ exitCode: 4, stdout: "", run: { status: "budget_exceeded" } });
    expect(stopped.run.total_cost_usd).toBeCloseTo(0.12, 6);

    const done = await resume(project, ["--budget", "1"]);

    expect(done).toMatchObject({ exitCode: 0, stdout: "No item of TODO.md is open, rounds: 3\n" });
    expect(done.run.total_cost_usd).toBeCloseTo(0.22, 6);
    expect(done.visited("main").filter((state) => state === "WORK.md")).toHaveLength(3);
  });

  it("requires a list, and shows its format", async () => {
    const project = await tempProject({});

    const done = await simulate("ralph", project);

    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain("- [ ] item");
  });
});
