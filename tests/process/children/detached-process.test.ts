import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startDetached } from "../../../src/process/children/detached-process.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { bashCall } from "../../support/process/bash-call.ts";

const start = (code: string) =>
  startDetached({
    command: [process.execPath, "-e", code],
    cwd: "/",
    env: process.env,
    input: null,
    output: openSync("/dev/null", "a"),
  });

/** What a fixture prints that has no descriptors left. */
async function withoutDescriptors(variable: string): Promise<string> {
  const program = fileURLToPath(
    new URL("../../fixtures/process/detached-short-of-descriptors.ts", import.meta.url),
  );
  const bash = bashCall(`ulimit -n 256; ${variable} exec "$NODE" --import tsx "$PROGRAM"`);
  const env = { ...bash.call.env, NODE: process.execPath, PROGRAM: program };
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  await startProcess({ ...bash.call, cwd, env }).done;
  return bash.stdout().trim();
}

describe("a detached process", () => {
  it.each([
    ["continues", "process.send(5); setTimeout(() => {}, 100)"],
    ["ends at once", "process.send(5, () => process.exit(0))"],
    ["leaves its channel first", "process.send(5); process.disconnect()"],
  ])("has started once it reports success, also if it %s", async (_, code) => {
    expect(await start(code)).toMatchObject({ ok: true, printed: 5 });
  });

  it("has not started if it ends first; its exit code is returned", async () => {
    expect(await start("process.exit(3)")).toEqual({ ok: false, code: 3 });
  });

  it("is a problem if the program does not exist", async () => {
    const call = { cwd: "/", env: {}, input: "hello", output: openSync("/dev/null", "a") };

    const started = await startDetached({ ...call, command: ["/no/such/program"] });

    expect(started).toMatchObject({ ok: false, problem: { code: "ENOENT" } });
  });

  it("starts when there are free descriptors again", async () => {
    expect(await withoutDescriptors("")).toBe("true");
  });

  it("is a problem if there are none for too long", async () => {
    expect(await withoutDescriptors("KEEP=yes")).toMatch(/^problem spawn .* EMFILE$/);
  });
});
