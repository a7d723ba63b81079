import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

const QUICK = ["--var", "every=100ms", "--var", "looks=3"];

describe("workflows/nightly", () => {
  it("calls the model only for new items, with a delay between polls", async () => {
    const project = await tempProject({ "incidents.log": "disk 91 % full\n" });

    const done = await simulate("nightly", project, QUICK);

    expect(done).toMatchObject({ exitCode: 0, stdout: "Looks: 3, reports: 1.\n" });
    expect(done.visited("main")).toEqual([
      ...["START.sh", "LOOK.sh", "EXPLAIN.md", "REPORT.sh"],
      ...["LOOK.sh", "LOOK.sh", "LOOK.sh"],
    ]);
    expect(await project.read("nightly/reports/1.md")).toContain("delete old builds");
    const waits = done.events.filter(
      (event) => event.type === "agent.waiting" && event["for"] === "delay",
    );
    expect(waits).toHaveLength(3);
  });
});
