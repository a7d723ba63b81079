import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessCall } from "../../../src/ports/process.ts";
import { startProcess } from "../../../src/process/run-process.ts";
import { cancellation } from "../../support/cancellation.ts";
import { tempFolder } from "../../support/folders.ts";
import { until } from "../../support/until.ts";

const TELL = `
  let input = "";
  process.stdin.on("data", (chunk) => { input += chunk; });
  process.stdin.on("end", () => {
    console.log(JSON.stringify({ argv: process.argv.slice(1), input, secret: process.env.SECRET }));
    console.error("said");
    process.exitCode = 7;
  });`;

describe("a process", () => {
  it("gets its arguments and its input to the letter, and no more than the environment it is given", async () => {
    process.env["SECRET"] = "inherited";
    const argv = ["a b", 'c"d', "%PATH%", "x&y|z", "^", "größe 日本", ""];
    const child = await call(process.execPath, ["-e", TELL, "--", ...argv], "two\nlines größe");

    expect(await child.done).toMatchObject({ exitCode: 7, signal: null, ended: false });
    expect(JSON.parse(child.stdout())).toEqual({ argv, input: "two\nlines größe" });
    expect(child.stderr()).toBe("said\n");
  });

  // Not from a folder with blanks: wine's cmd.exe does not know a blank that a caret stands before.
  it("may be a command script", async () => {
    const folder = path.join(await tempFolder(), "npm");
    await mkdir(folder);
    const script = path.join(folder, "tell.cmd");
    await writeFile(script, "@echo off\r\necho got %~1\r\nexit /b 5\r\n");
    const child = await call(script, ["one"]);

    expect(await child.done).toMatchObject({ exitCode: 5 });
    expect(child.stdout()).toBe("got one\r\n");
  });

  it("that is not there is told by its code", async () => {
    const child = await call("C:\\no\\such.exe", []);

    expect((await child.done).spawnError?.code).toBe("ENOENT");
  });

  it("is ended by an interrupt, though it does nothing about it", async () => {
    const child = await call(process.execPath, [
      "-e",
      "console.log('up'); setInterval(() => {}, 1e6)",
    ]);
    await until("it to be up", () => Promise.resolve(child.stdout().includes("up") || undefined));

    child.cancellation.interruptNow();

    expect(await child.done).toMatchObject({ ended: true, leftOpen: false });
  });

  it("is over although what it has started holds its outputs", async () => {
    const lasting = "setTimeout(() => {}, 15_000)";
    const starts = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(lasting)}], { stdio: "inherit", detached: true }).unref()`;
    const child = await call(process.execPath, ["-e", starts]);

    expect(await child.done).toMatchObject({ exitCode: 0, leftOpen: true });
  });
});

/** A process that is started with these words, and what it has said. */
async function call(command: string, args: readonly string[], input: string | null = null) {
  const said = { stdout: "", stderr: "" };
  const cancelling = cancellation();
  const given: ProcessCall = {
    command,
    args,
    cwd: await tempFolder(),
    env: { SystemRoot: process.env["SystemRoot"] ?? "" },
    input,
    onStdout: (chunk) => {
      said.stdout += chunk.toString();
    },
    onStderr: (chunk) => {
      said.stderr += chunk.toString();
    },
    token: "run.1",
    cancellation: cancelling,
  };
  const { done } = startProcess(given);
  return {
    done,
    cancellation: cancelling,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
  };
}
