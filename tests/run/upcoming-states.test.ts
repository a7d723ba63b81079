import { expect, it } from "vitest";
import { upcomingStates } from "../../src/run/upcoming-states.ts";
import { folderScope } from "../../src/scopes/folder.ts";
import { agentsOfRun } from "../../src/wire/agents/upcoming.ts";
import { agent } from "../support/agents.ts";
import { tempProject } from "../support/project.ts";
import { run } from "../support/runs.ts";

const FILES = {
  "START.md": "---\nagent: pi\n---\nThen <goto>NEXT</goto>.",
  "NEXT.md": "---\nagent: codex\n---\nThen <reset>LAST</reset>.",
  "LAST.md": "---\nagent: [codex, pi]\n---\nThen <result>done</result>.",
};

async function upcoming(state: string, workflow: string | null = null) {
  const scope = folderScope((await tempProject(FILES)).dir);
  const saved = run({ agents: [agent({ state, workflow })] });
  const states = await upcomingStates(saved, { ...scope, workflow: "w" });
  return agentsOfRun(saved, await scope.names(), states);
}

it("a resumed run needs the coding agents of the states ahead, not those behind or the default", async () => {
  expect(await upcoming("NEXT.md")).toEqual([
    { name: "codex", first: true, spare: false },
    { name: "pi", first: false, spare: true },
  ]);
});

it("a resumed run in an unknown state, or in another workflow, needs its default agent", async () => {
  const usual = [{ name: "claude", first: true, spare: false }];
  expect(await upcoming("GONE.md")).toEqual(usual);
  expect(await upcoming("NEXT.md", "./other")).toEqual(usual);
});
