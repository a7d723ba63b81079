import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { newRun } from "../../src/machine/moves/new-run.ts";
import { resumeClaimed } from "../../src/run/resume-claimed.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { folderRuns } from "../../src/wire/folder-runs.ts";
import { tempFolder } from "../support/folders.ts";
import { settings } from "../support/runs.ts";

it("starts a run without steps, and resumes a run with steps", async () => {
  const cwd = await tempFolder();
  const scopeDir = path.join(cwd, "w");
  await mkdir(scopeDir);
  await writeFile(path.join(scopeDir, "START.sh"), 'echo "<result>$who</result>"');
  const caller = thisProcess({ cwd, env: { PATH: process.env["PATH"] } });
  const store = folderRuns(path.join(cwd, ".raymond"));
  const workflow = { kind: "folder", path: scopeDir, entry: "START.sh" } as const;
  const of = { scopeDir, launchDir: cwd, at: 0, backend: "claude", token: "t0", input: null };
  const events: string[] = [];
  const watch = () => [{ notify: (event: { type: string }) => void events.push(event.type) }];
  const how = {
    store,
    program: "raymond",
    given: {},
    lostSession: "fail",
    trust: "optional",
  } as const;

  const run = newRun({
    ...of,
    id: "one",
    workflow,
    settings: settings(),
    attributes: { who: "she" },
  });
  const ended = await resumeClaimed(run, how, { watch }, caller);
  const crashed = { ...run, id: "two", saves: 1 };
  await store.save({ ...crashed }, 0);
  await resumeClaimed(crashed, how, { watch }, caller);

  expect(ended).toMatchObject({ status: "completed", results: { main: "she" } });
  expect(events.filter((type) => type.startsWith("run."))).toEqual([
    "run.started",
    "run.ended",
    "run.resumed",
    "run.ended",
  ]);
});
