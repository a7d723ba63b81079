import { describe, expect, it } from "vitest";
import { commandTree, runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { tempProject } from "../../../support/project.ts";
import { testShell } from "../../../support/test-shell.ts";

/** A fleet whose database is not there: who asks it, is told so. */
const RAYMOND_FLEET = "postgresql://127.0.0.1:1/raymond";

/** What each command needs to be about a run. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "diff-runs": ["here", "here"],
  answer: ["here", "yes"],
  graph: ["--run", "here"],
  list: [],
  prune: ["here", "--yes"],
  rerun: ["here", "--from", "1"],
  // A folder would be meant; without a port it would go on for ever.
  serve: ["--port", "none"],
  test: ["--from-run", "here"],
};

/** Commands that look for no run: they are about files, about raymond, or begin a run here (docs/fleet.md, "Commands"). */
const ABOUT_NO_RUN = [
  // With --fleet it looks at the database as well.
  "doctor",
  ...[
    "run",
    "tour",
    "init",
    "new",
    "tag",
    "lint",
    "convert",
    "explain",
    "pack",
    "completion",
    "help",
  ],
];

const { commands } = await commandTree(testShell("/"));
const named = (name: string) => commands.find((command) => command.name() === name)?.options ?? [];
const knows = (name: string) => named(name).some(({ long }) => long === "--no-fleet");
const refuses = (name: string) =>
  named(name).some(({ long, hidden }) => long === "--fleet" && hidden);
/** Commands with a flag for the database always mean the fleet. */
const ofAFleet = commands
  .filter(({ options }) => options.some(({ long }) => long === "--url"))
  .map((command) => command.name());
const knowing = commands.map((command) => command.name()).filter(knows);

async function call(name: string, ...flags: readonly string[]) {
  const { dir } = await tempProject({});
  const shell = testShell(dir, { RAYMOND_FLEET });
  const words = NAMES[name] ?? ["here"];
  return runCommandLine(["node", "raymond", name, ...words, ...flags], shell);
}

describe("where RAYMOND_FLEET is set", () => {
  it("each command takes the runs of the fleet or refuses them, or is about none", () => {
    const all = commands.map((command) => command.name());

    expect([...knowing, ...ofAFleet, ...ABOUT_NO_RUN].toSorted()).toEqual(all.toSorted());
  });

  it.each(knowing.filter((name) => !refuses(name)))("raymond %s means runs of the fleet", (name) =>
    expect(call(name)).rejects.toMatchObject({ code: "fleet/away" }),
  );

  it.each(knowing.filter(refuses))("raymond %s refuses, and says what to do instead", (name) =>
    expect(call(name)).rejects.toMatchObject({
      code: "cli/not-in-fleet",
      hint: expect.stringMatching(/[a-z] .*--no-fleet\.$/) as string,
    }),
  );

  it.each(knowing)("raymond %s --no-fleet means those of the project", (name) => {
    const told = call(name, "--no-fleet").catch((error: unknown) => error);

    // There is none: what is said of that, each command tells in its own words.
    return expect(told).resolves.not.toMatchObject({
      code: expect.stringMatching(/fleet/) as string,
    });
  });

  it("raymond resume means a run of the fleet", async () => {
    const { dir } = await tempProject({});
    const resume = runCommandLine(
      ["node", "raymond", "--resume", "here"],
      testShell(dir, { RAYMOND_FLEET }),
    );

    await expect(resume).rejects.toMatchObject({ code: "fleet/away" });
  });

  it.each([["graph"], ["test"]])("raymond %s asks no fleet where no run is named", async (name) => {
    const { dir } = await tempProject({ "1_START.sh": "echo '<result>ok</result>'" });
    const shell = testShell(dir, { RAYMOND_FLEET });

    await runCommandLine(["node", "raymond", name], shell).catch((error: unknown) => {
      expect(error).not.toMatchObject({ code: expect.stringMatching(/fleet/) as string });
    });
  });
});
