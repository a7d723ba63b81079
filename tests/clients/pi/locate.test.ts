import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Asker } from "../../../src/clients/common/probe.ts";
import { pi } from "../../../src/clients/pi/agent.ts";
import { readLogin } from "../../../src/clients/pi/login.ts";
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

const { installation } = pi;
const find = ({ env, cwd }: Asker, named: string | null = null) =>
  installation.find(named, env, cwd);

describe("the client pi", () => {
  it("is found on PATH, with its version", async () => {
    const { file, asking } = await asker("echo 1.6.0");

    expect(await find(asking)).toBe(file);
    expect(await installation.version(file, asking)).toEqual({ version: "1.6.0", warning: null });
  });

  it.each([
    ["0.84.0", "pi 0.84.0 is older than expected: raymond was tested with 1.6.0 to 1.6.0."],
    ["2.0.0", "pi 2.0.0 is newer than expected: raymond was tested with 1.6.0 to 1.6.0."],
    ["?", "Unknown version of pi."],
  ])("gets a warning as version %s", async (version, warning) => {
    const { file, asking } = await asker(`echo ${version}`);

    expect((await installation.version(file, asking)).warning).toBe(warning);
  });

  it("is unusable if it does not start", async () => {
    const { file, asking } = await asker("exit 1");

    await expect(installation.version(file, asking)).rejects.toThrow(/failed with exit code 1/);
    await expect(find(asking, "/none/pi")).rejects.toThrow(/Cannot find the client/);
  });

  it.each([
    ["provider  model   context\nmock      mock-1  200K\n", { state: "in", method: "mock" }],
    ["provider  model   context\n", { state: "out" }],
    ["", { state: "out" }],
  ])("reports its login by its models: %s", (stdout, login) => {
    expect(readLogin(stdout)).toEqual(login);
  });

  it("has an unknown login if it fails", async () => {
    const { file, asking } = await asker("exit 3");

    expect(await installation.login(file, asking)).toEqual({ state: "unknown" });
  });
});
