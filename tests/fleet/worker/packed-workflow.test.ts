import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { packForFleet, unpackForWorker } from "../../../src/fleet/worker/packed-workflow.ts";
import { locateWorkflow } from "../../../src/scopes/open.ts";
import { systemPlatform } from "../../../src/wire/system/system.ts";
import { tempProject } from "../../support/project.ts";

const platform = systemPlatform();

async function packed(files: Readonly<Record<string, string>>, named: string) {
  const { dir } = await tempProject(files);
  const located = await locateWorkflow(path.join(dir, named), platform);
  const { kind } = located;
  return { dir, workflow: { ...(await packForFleet(located, platform)), kind } };
}

describe("the workflow of a fleet run on the machine of a worker", () => {
  it("is fetched and unpacked once for many concurrent runs", async () => {
    const { dir, workflow } = await packed(
      {
        "flow/START.sh": "echo '<goto>NEXT</goto>'\n",
        "flow/NEXT.sh": "echo '<result>1</result>'\n",
      },
      "flow",
    );
    let fetched = 0;
    const place = () =>
      unpackForWorker(path.join(dir, "cache"), workflow, platform, () => {
        fetched += 1;
        return Promise.resolve(workflow.bytes);
      });
    const places = await Promise.all(Array.from({ length: 50 }, place));
    expect(fetched).toBe(1);
    expect(new Set(places).size).toBe(1);
    const [unpacked = ""] = places;
    expect(await readFile(path.join(unpacked, "START.sh"), "utf8")).toContain("<goto>");
    expect(await readdir(path.dirname(unpacked))).toEqual(["flow"]);
    await place();
    expect(fetched).toBe(1);
  });

  it("is fetched again after a failure", async () => {
    const { dir, workflow } = await packed(
      { "flow/START.sh": "echo '<result>1</result>'\n" },
      "flow",
    );
    const cache = path.join(dir, "cache");
    const away = () => Promise.reject(new Error("the database is away"));
    await expect(unpackForWorker(cache, workflow, platform, away)).rejects.toThrow("away");
    const place = await unpackForWorker(cache, workflow, platform, () =>
      Promise.resolve(workflow.bytes),
    );
    expect(await readdir(place)).toEqual(["START.sh"]);
  });

  it.each([
    ["a name that leads elsewhere", { name: "../../pwned" }],
    ["a hash that leads elsewhere", { hash: "../../pwned" }],
    ["a hash of other bytes", { hash: "0".repeat(64) }],
  ])("is refused with %s, and nothing is written", async (_, forged) => {
    const { dir, workflow } = await packed(
      { "flow.yaml": "states: { START: { prompt: Say it. } }\n" },
      "flow.yaml",
    );
    const cache = path.join(dir, "a", "cache");

    await expect(
      unpackForWorker(cache, { ...workflow, ...forged }, platform, () =>
        Promise.resolve(workflow.bytes),
      ),
    ).rejects.toMatchObject({ code: "fleet/wrong-workflow" });
    expect(await readdir(dir)).toEqual(["flow.yaml"]);
  });
});
