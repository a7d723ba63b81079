import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findSimulation, loadSimulation } from "../../../src/clients/simulation/find.ts";
import { parseSimulation } from "../../../src/clients/simulation/script.ts";

async function folder(...files: readonly string[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "raymond-simulation-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  for (const file of files) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), "states:\n  A: [{ reply: x }]\n");
  }
  return dir;
}

describe("findSimulation", () => {
  it("finds the one file in a workflow's folder, whatever it is called", async () => {
    const dir = await folder("START.md", "whatever.sim.yaml", ".hidden.sim.yaml", "notes.yaml");

    expect(await findSimulation(dir, "folder")).toBe(join(dir, "whatever.sim.yaml"));
  });

  it("looks around a state file that was named in place of its folder", async () => {
    const dir = await folder("START.md", "a.sim.yaml");

    expect(await findSimulation(join(dir, "START.md"), "folder")).toBe(join(dir, "a.sim.yaml"));
  });

  it.each(["flow.zip.sim.yaml", "flow.sim.yaml"])("finds %s next to a zip", async (name) => {
    const dir = await folder("flow.zip", name, "other.zip.sim.yaml");

    expect(await findSimulation(join(dir, "flow.zip"), "zip")).toBe(join(dir, name));
  });

  it("lists them when there are several", async () => {
    const dir = await folder("b.sim.yaml", "a.sim.yaml");

    await expect(findSimulation(dir, "folder")).rejects.toMatchObject({
      code: "simulation/ambiguous",
      message: expect.stringContaining(
        `${join(dir, "a.sim.yaml")}, ${join(dir, "b.sim.yaml")}`,
      ) as string,
    });
  });

  it("rejects two simulations next to a zip", async () => {
    const dir = await folder("flow.zip", "flow.zip.sim.yaml", "flow.sim.yaml");

    await expect(findSimulation(join(dir, "flow.zip"), "zip")).rejects.toMatchObject({
      code: "simulation/ambiguous",
    });
  });

  it.each(["folder", "zip"] as const)(
    "says where it looked for one, for a %s, and shows one that works",
    async (kind) => {
      const dir = await folder("flow.zip", "START.md");
      const workflow = kind === "zip" ? join(dir, "flow.zip") : dir;

      const error: unknown = await findSimulation(workflow, kind).catch(
        (thrown: unknown) => thrown,
      );

      expect(error).toMatchObject({ code: "simulation/not-found" });
      if (!(error instanceof Error && "hint" in error)) throw new Error("it has no hint");
      expect(error.message).toContain(dir);
      const example = String(error.hint).slice(String(error.hint).indexOf("states:"));
      expect(parseSimulation("x.sim.yaml", example).states.size).toBe(1);
    },
  );
});

describe("loadSimulation", () => {
  it("parses the file", async () => {
    const dir = await folder("START.md", "a.sim.yaml");

    const { file, states } = await loadSimulation(dir, "folder");

    expect(file).toBe(join(dir, "a.sim.yaml"));
    expect([...states.keys()]).toEqual(["A.md"]);
  });

  it("rejects a binary file", async () => {
    const dir = await folder("START.md");
    await writeFile(join(dir, "a.sim.yaml"), Uint8Array.of(0xff, 0xfe, 0x00));

    await expect(loadSimulation(dir, "folder")).rejects.toMatchObject({
      code: "simulation/unreadable",
    });
  });

  it("explains that a folder of that name cannot be read", async () => {
    const dir = await folder("START.md", "a.sim.yaml/x");

    await expect(loadSimulation(dir, "folder")).rejects.toMatchObject({
      code: "simulation/unreadable",
    });
  });
});
