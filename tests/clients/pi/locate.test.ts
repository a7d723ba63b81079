import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { locatePi } from "../../../src/clients/pi/locate.ts";
import { askPiLogin, readPiLogin } from "../../../src/clients/pi/login.ts";
import { projectFiles } from "../../../src/clients/pi/project-files.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { tempFolder } from "../../support/folders.ts";

/** A stand-in for pi on PATH. */
async function asker(script: string) {
  const folder = await tempFolder();
  const file = path.join(folder, "pi");
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  const env = { PATH: `${folder}${path.delimiter}${process.env["PATH"] ?? ""}` };
  return { file, asking: { env, cwd: folder, start: startProcess } };
}

describe("the client pi", () => {
  it("is found on PATH, with its version", async () => {
    const { file, asking } = await asker("echo 0.85.1");

    expect(await locatePi(null, asking)).toEqual({ path: file, version: "0.85.1", warning: null });
  });

  it.each([
    ["0.84.0", "pi 0.84.0 is older than expected: raymond was tested with 0.85.1."],
    ["1.0.0", "pi 1.0.0 is newer than expected: raymond was tested with 0.85.1."],
    ["?", "Unknown version of pi: raymond was tested with 0.85.1."],
  ])("gets a warning as version %s", async (version, warning) => {
    const { asking } = await asker(`echo ${version}`);

    expect((await locatePi(null, asking)).warning).toBe(warning);
  });

  it("is unusable if it does not start", async () => {
    const { asking } = await asker("exit 1");

    await expect(locatePi(null, asking)).rejects.toThrow(/--version failed with exit code 1/);
    await expect(locatePi("/none/pi", asking)).rejects.toThrow(/Cannot find the client/);
  });

  it.each([
    ['{"status":"ready","provider":"x","authType":"oauth"}', { state: "in", method: "oauth" }],
    ['{"status":"not_ready","provider":"x","reason":"r"}', { state: "out" }],
    ["Error", { state: "unknown" }],
  ])("reports its login as %s", (stdout, login) => {
    expect(readPiLogin(stdout)).toEqual(login);
  });

  it.each([
    ["echo 'provider  model  context'", "in"],
    ["echo 'No models available.' >&2", "out"],
    ["exit 3", "unknown"],
  ])("without a model is asked for its models: %s", async (script, state) => {
    const { file, asking } = await asker(script);

    expect((await askPiLogin(file, null, asking)).state).toBe(state);
  });

  it("obeys files of a project only in a trusted folder", async () => {
    const folder = await tempFolder();
    const cwd = path.join(folder, "a");
    await mkdir(path.join(cwd, ".pi", "extensions"), { recursive: true });
    await mkdir(path.join(folder, ".agents", "skills"), { recursive: true });
    await writeFile(path.join(cwd, "AGENTS.md"), "");

    expect(await projectFiles(cwd)).toEqual([
      path.join(".pi", "extensions"),
      path.join("..", ".agents", "skills"),
    ]);
  });
});
