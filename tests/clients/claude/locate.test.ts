import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { claude } from "../../../src/clients/claude/agent.ts";
import { LOCATABLE, versionOf } from "../../../src/clients/claude/locate.ts";
import { askLogin, readLogin } from "../../../src/clients/claude/login.ts";
import { findClient } from "../../../src/clients/common/locate-client.ts";
import type { Asker } from "../../../src/clients/common/probe.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import {
  FAKE_CLAUDE,
  type FakeClient,
  type FakeScript,
  fakeClient,
} from "../../fixtures/fake-client.ts";

const fakes: FakeClient[] = [];

afterEach(async () => {
  await Promise.all(fakes.splice(0).map((fake) => fake.remove()));
});

function asker(env: Readonly<Record<string, string>>, cwd: string): Asker {
  return { env, cwd, start: startProcess };
}

async function locateClient(wanted: string | null, probe: Asker) {
  const { installation } = claude;
  const path = await installation.find(wanted, probe.env, probe.cwd);
  return { path, ...(await installation.version(path, probe)) };
}

async function fake(script: FakeScript = {}): Promise<FakeClient> {
  const made = await fakeClient(script);
  fakes.push(made);
  return made;
}

describe("locateClient", () => {
  it("finds claude on PATH, and skips other files", async () => {
    const { env, dir } = await fake();
    await mkdir(join(dir, "claude"));
    const PATH = `${dir}:${dirname(FAKE_CLAUDE)}:${env["PATH"] ?? ""}`;

    const client = await locateClient(null, asker({ ...env, PATH }, dir));

    expect(client).toEqual({ path: FAKE_CLAUDE, version: "2.1.330", warning: null });
  });

  it("names a client that is installed but not on PATH, as under cron", async () => {
    const { dir } = await fake();
    const installed = join(dir, ".local", "bin", "claude");
    await mkdir(dirname(installed), { recursive: true });
    await writeFile(installed, "#!/bin/sh\n", { mode: 0o755 });
    const found = (named: string | null, HOME: string) =>
      findClient(LOCATABLE, named, { HOME, PATH: "/usr/bin:/bin" }, dir);

    await expect(found(null, dir)).rejects.toMatchObject({
      code: "claude/not-found",
      hint: expect.stringContaining(`--client claude=${installed}`) as string,
    });
    await expect(found("./claude", dir)).rejects.toMatchObject({
      hint: expect.stringContaining("Install it") as string,
    });
  });

  it("accepts a path relative to the working directory", async () => {
    const { env } = await fake({ version: "2.1.197" });

    const client = await locateClient("./claude", asker(env, dirname(FAKE_CLAUDE)));

    expect(client).toMatchObject({ path: FAKE_CLAUDE, version: "2.1.197" });
  });

  it("warns about an untested version", async () => {
    const { env, dir } = await fake({ version: "3.0.1" });

    expect((await locateClient(FAKE_CLAUDE, asker(env, dir))).warning).toMatch(/3\.0\.1 is newer/);
    expect(versionOf("2.1.196").warning).toMatch(/older/);
    expect(versionOf(null).warning).toMatch(/Unknown version/);
    expect(versionOf("2.1.250").warning).toBeNull();
  });

  it("reports the searched places if there is none", async () => {
    const { dir } = await fake();

    await expect(locateClient(null, asker({ PATH: dir }, dir))).rejects.toThrow(
      'Cannot find "claude" on PATH',
    );
    await expect(locateClient("/no/such", asker({}, dir))).rejects.toThrow("/no/such");
  });

  it("finds the Windows program, and not the shell script of npm", async () => {
    const { dir } = await fake();
    for (const name of ["claude", "claude.cmd"]) {
      await writeFile(join(dir, name), "", { mode: 0o700 });
    }

    expect(await findClient(LOCATABLE, null, { Path: dir }, dir, "win32")).toBe(
      join(dir, "claude.cmd"),
    );
    expect(await findClient(LOCATABLE, "claude.cmd", { Path: dir }, dir, "win32")).toBe(
      join(dir, "claude.cmd"),
    );
    expect(await findClient(LOCATABLE, null, { PATH: dir }, dir, "linux")).toBe(
      join(dir, "claude"),
    );
  });

  it("explains how to fix a file that is not executable, by path and on PATH", async () => {
    const { dir } = await fake();
    const file = join(dir, "claude");
    await writeFile(file, "#!/bin/sh\n", { mode: 0o600 });

    for (const wanted of [file, "./claude", null]) {
      await expect(locateClient(wanted, asker({ PATH: dir }, dir))).rejects.toMatchObject({
        message: `Cannot run the client: ${file} is not executable.`,
        hint: expect.stringContaining(`chmod +x ${file}`) as string,
      });
    }
  });

  it("reports a program that is not a client", async () => {
    const { env, dir } = await fake();
    await writeFile(join(dir, "claude"), "#!/bin/sh\nexit 3\n");
    await chmod(join(dir, "claude"), 0o755);

    await expect(locateClient(`${dir}/claude`, asker(env, dir))).rejects.toThrow(
      "failed with exit code 3",
    );
  });
});

describe("askLogin", () => {
  it.each([
    [true, { state: "in", method: "api_key" }],
    [false, { state: "out" }],
  ] as const)("asks the client itself: logged in %s", async (loggedIn, expected) => {
    const { env, dir, command } = await fake({ loggedIn });

    expect(await askLogin(command, asker(env, dir))).toEqual(expected);
  });

  it.each([
    ["another provider", '{"loggedIn":true,"authMethod":"third_party","apiProvider":"bedrock"}'],
    ["another provider without a login", '{"loggedIn":false,"apiProvider":"vertex"}'],
    ["a client that does not know the command", "error: unknown command 'auth'"],
    ["an answer that says nothing of it", "{}"],
    ["no answer", ""],
  ])("does not judge %s", (_what, stdout) => {
    expect(readLogin(stdout)).toEqual({ state: "unknown" });
  });
});
