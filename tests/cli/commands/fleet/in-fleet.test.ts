import { describe, expect, it } from "vitest";
import { commandTree, runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { tempProject } from "../../../support/project.ts";
import { testShell } from "../../../support/test-shell.ts";

/** A fleet whose database is unavailable. */
const RAYMOND_FLEET = "postgresql://127.0.0.1:1/raymond";

/** The arguments that make each command select a run. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "diff-runs": ["here", "here"],
  answer: ["here", "yes"],
  graph: ["--run", "here"],
  set: ["here", "main", "--result", "x"],
  list: [],
  prune: ["here", "--yes"],
  restore: ["here", "1"],
  rerun: ["here", "1"],
  // An argument would be a folder. With a valid port the command would not end.
  serve: ["--port", "none"],
  test: ["--from-run", "here"],
};

/** Commands that select no existing run (docs/fleet.md, "Commands"). */
const WITHOUT_RUN = [
  // With --fleet it also checks the database.
  "doctor",
  ...[
    "run",
    "tour",
    "init",
    "new",
    "tag",
    "trust",
    "merge",
    "lint",
    "convert",
    "explain",
    "pack",
    "completion",
    "schema",
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
  it("each command supports fleet runs, refuses them, or selects no runs", () => {
    const all = commands.map((command) => command.name());

    expect([...knowing, ...ofAFleet, ...WITHOUT_RUN].toSorted()).toEqual(all.toSorted());
  });

  it.each(knowing.filter((name) => !refuses(name)))("raymond %s uses runs of the fleet", (name) =>
    expect(call(name)).rejects.toMatchObject({ code: "fleet/away" }),
  );

  it.each(knowing.filter(refuses))("raymond %s refuses, and explains what to do instead", (name) =>
    expect(call(name)).rejects.toMatchObject({
      code: "cli/not-in-fleet",
      hint: expect.stringMatching(/[a-z] .*--no-fleet\.$/) as string,
    }),
  );

  it.each(knowing)("raymond %s --no-fleet uses runs of the project", (name) => {
    const error = call(name, "--no-fleet").catch((failure: unknown) => failure);

    // The project has no runs, and each command has its own error for that.
    return expect(error).resolves.not.toMatchObject({
      code: expect.stringMatching(/fleet/) as string,
    });
  });

  it("raymond --resume uses a run of the fleet", async () => {
    const { dir } = await tempProject({});
    const resume = runCommandLine(
      ["node", "raymond", "--resume", "here"],
      testShell(dir, { RAYMOND_FLEET }),
    );

    await expect(resume).rejects.toMatchObject({ code: "fleet/away" });
  });

  it.each([["graph"], ["test"]])(
    "raymond %s does not use the fleet if no run is given",
    async (name) => {
      const { dir } = await tempProject({ "1_START.sh": "echo '<result>ok</result>'" });
      const shell = testShell(dir, { RAYMOND_FLEET });

      await runCommandLine(["node", "raymond", name], shell).catch((error: unknown) => {
        expect(error).not.toMatchObject({ code: expect.stringMatching(/fleet/) as string });
      });
    },
  );
});
