import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { OlderRunsJson, RunsJson } from "../../src/dashboard/api.ts";
import { start } from "../../src/run/start.ts";
import { openDashboard, projectWith } from "../support/dashboard.ts";

/** A project with the runs `run-0000` and so on, a second apart; the last is the newest. */
async function manyRuns(count: number) {
  const caller = await projectWith({ "flow/START.sh": "echo '<result>done</result>'" });
  await start({ workflow: "flow", id: "run-0000" }, caller);
  const folder = path.join(caller.cwd, ".raymond", "workflows");
  const text = await readFile(path.join(folder, "run-0000.json"), "utf8");
  const state = JSON.parse(text) as { readonly started_at: string };
  const first = Date.parse(state.started_at);
  for (let at = 1; at < count; at += 1) {
    const workflow_id = `run-${String(at).padStart(4, "0")}`;
    const started_at = new Date(first + at * 1_000).toISOString();
    const file = path.join(folder, `${workflow_id}.json`);
    await writeFile(file, JSON.stringify({ ...state, workflow_id, started_at }));
  }
  return openDashboard(caller);
}

const older = (after: string, query = "") => `?after=${encodeURIComponent(after)}${query}`;

describe("runs beyond the first 500 of a folder", () => {
  it("are listed once each from the cursor of the list", async () => {
    const of = await manyRuns(503);

    const { folders } = (await of.json("/api/runs")) as RunsJson;
    const [folder] = folders;
    expect(folder?.runs).toHaveLength(500);
    expect(folder?.more).toBe(3);
    const next = (await of.json(`${of.folder}/runs${older(folder?.older ?? "")}`)) as OlderRunsJson;

    expect(next.runs.map((run) => run.workflow_id)).toEqual(["run-0002", "run-0001", "run-0000"]);
    expect(next.older).toBeNull();
  });

  it("are filtered by words and status", async () => {
    const of = await manyRuns(4);
    const find = async (query: string) => {
      const found = await of.json(`${of.folder}/runs${older("9", query)}`);
      return (found as OlderRunsJson).runs.map((run) => run.workflow_id);
    };

    expect(await find("&words=RUN-0002")).toEqual(["run-0002"]);
    expect(await find("&status=failed&status=crashed")).toEqual([]);
    expect(await find("&status=completed&words=flow")).toHaveLength(4);
  });
});
