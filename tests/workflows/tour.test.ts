import { describe, expect, it } from "vitest";
import { TAGS } from "../../src/language/protocol/transition.ts";
import { tempProject } from "../support/project.ts";
import { readSample } from "./sample.ts";
import { simulate } from "./simulate.ts";

describe("workflows/tour", () => {
  it("uses every tag and state, and explains itself in its result", async () => {
    const project = await tempProject({});

    const tour = await simulate("tour", project);

    expect(tour).toMatchObject({ exitCode: 0, run: { status: "completed", agents: [] } });
    expect(tour.stdout).toMatch(/^That was the tour:\n/);
    expect(tour.stdout).toContain("loops by reset: 3 rounds");
    expect(tour.stdout).toContain("south: Clear skies in the far south");
    const here = readSample("tour").names.filter((name) => !name.endsWith(".bat"));
    const agents = ["main", "main_postma1", "main_postma2"];
    expect([...new Set(agents.flatMap(tour.visited))].sort()).toEqual(here);
    const tags = tour.events.flatMap(({ type, transition }) =>
      type === "agent.ended" ? ["result"] : transition === undefined ? [] : [transition.tag],
    );
    expect(new Set(tags)).toEqual(new Set(TAGS.filter((tag) => !tag.endsWith("-workflow"))));
  });

  it("runs its states in order, and so do its workers", async () => {
    const project = await tempProject({});

    const { visited, run } = await simulate("tour", project);

    expect(visited("main")).toEqual([
      "1_START.sh",
      "WELCOME.md",
      "REMEMBER.md",
      "ASIDE.md",
      "BACK.md",
      "STRANGER.md",
      "CROSSROADS.md",
      ...["COUNT.sh", "COUNT.sh", "COUNT.sh"],
      "ASK.sh",
      "FORK_NORTH.sh",
      "FORK_SOUTH.sh",
      "FINISH.sh",
    ]);
    expect(visited("main_postma1")).toEqual(["POSTMAN.sh", "POSTCARD.md", "DELIVER.sh"]);
    expect(visited("main_postma2")).toEqual(["POSTMAN.sh", "POSTCARD.md", "DELIVER.sh"]);
    expect(run.results).toMatchObject({
      main_postma1: "The postcard from the north is delivered.",
      main_postma2: "The postcard from the south is delivered.",
    });
    expect(run.total_cost_usd).toBeCloseTo(0.056, 6);
    expect(await project.read("raymond-tour/postcards/north.txt")).toBe(
      "Clear skies in the far north, and a heron that ignores us all.",
    );
  });
});
