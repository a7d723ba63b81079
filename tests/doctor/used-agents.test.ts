import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { usedAgents } from "../../src/doctor/used-agents.ts";
import { tempFolder } from "../support/folders.ts";

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return dir;
}

const NAMES = { agents: null };

it("is the default agent in a folder without workflows", async () => {
  const cwd = await folder({ "notes.txt": "" });

  expect(await usedAgents(NAMES, { cwd })).toEqual([
    { name: "claude", workflow: null, spare: false },
  ]);
  expect(await usedAgents({ agents: ["pi", "codex"] }, { cwd })).toEqual([
    { name: "pi", workflow: null, spare: false },
    { name: "codex", workflow: null, spare: true },
  ]);
});

it("includes the agents that states and workflows name", async () => {
  const cwd = await folder({
    "review/START.md": "---\nagent: [codex, pi]\n---\nReview.",
    "workflows/plan/START.md": "Plan.",
    "workflows/plan/workflow.yaml": "agent: pi\n",
    "broken/START.md": "---\nagent: {}\n---\nNothing.",
  });

  expect(await usedAgents(NAMES, { cwd })).toEqual([
    { name: "claude", workflow: null, spare: false },
    { name: "codex", workflow: "review", spare: false },
    // Not only as a replacement: one workflow needs it.
    { name: "pi", workflow: path.join("workflows", "plan"), spare: false },
  ]);
});
