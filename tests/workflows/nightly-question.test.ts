import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

describe("workflows/nightly-question", () => {
  it("follows the answers, and ends after its nights", async () => {
    const project = await tempProject({});

    const done = await simulate("nightly-question", project, [
      ...["--var", "every=10ms", "--var", "nights=2"],
    ]);

    expect(done).toMatchObject({ exitCode: 0, stdout: "Nights: 2.\n" });
    expect(done.visited("main")).toEqual([
      ...["START.sh", "LOOK.md", "ASK.sh", "DECIDE.sh", "DO.md", "REST.sh"],
      ...["LOOK.md", "REST.sh"],
    ]);
  });
});
