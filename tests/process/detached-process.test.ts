import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startDetached } from "../../src/process/detached-process.ts";
import { startProcess } from "../../src/process/run-process.ts";
import { bashCall } from "../support/bash-call.ts";

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
    new URL("../fixtures/process/detached-short-of-descriptors.ts", import.meta.url),
  );
  const bash = bashCall(`ulimit -n 256; ${variable} exec "$NODE" --import tsx "$PROGRAM"`);
  const env = { ...bash.call.env, NODE: process.execPath, PROGRAM: program };
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  await startProcess({ ...bash.call, cwd, env }).done;
  return bash.stdout().trim();
}

describe("a process that is started on its own", () => {
  it.each([
    ["goes on", "process.send(5); setTimeout(() => {}, 100)"],
    ["ends at once", "process.send(5, () => process.exit(0))"],
    ["leaves its channel first", "process.send(5); process.disconnect()"],
  ])("has begun once it has said so, also if it %s", async (_, code) => {
    expect(await start(code)).toMatchObject({ ok: true, printed: 5 });
  });

  it("has not begun where it ends before that, and tells its exit code", async () => {
    expect(await start("process.exit(3)")).toEqual({ ok: false, code: 3 });
  });

  it("that is no program is a problem", async () => {
    const call = { cwd: "/", env: {}, input: "hello", output: openSync("/dev/null", "a") };

    const begun = await startDetached({ ...call, command: ["/no/such/program"] });

    expect(begun).toMatchObject({ ok: false, problem: { code: "ENOENT" } });
  });

  it("is started when there are descriptors again", async () => {
    expect(await withoutDescriptors("")).toBe("true");
  });

  it("is a problem where there are none for too long", async () => {
    expect(await withoutDescriptors("KEEP=yes")).toMatch(/^problem spawn .* EMFILE$/);
  });
});
