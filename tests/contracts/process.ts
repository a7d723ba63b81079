import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessCall, ProcessHost } from "../../src/engine/ports/process.ts";
import { cancellation } from "../support/cancellation.ts";
import { tempFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";

const REPORT = `
  let input = "";
  process.stdin.on("data", (chunk) => { input += chunk; });
  process.stdin.on("end", () => {
    console.log(JSON.stringify({ argv: process.argv.slice(1), input, secret: process.env.SECRET }));
    console.error("said");
    process.exitCode = 7;
  });`;

/** What the processes of every platform promise. Children are Node's, which every platform has. */
export function describeProcessHost(name: string, host: ProcessHost): void {
  describe(`${name} as a ProcessHost`, () => {
    const call = (command: string, args: readonly string[], input: string | null = null) =>
      callOn(host, command, args, input);

    it("passes exact arguments, input and environment, and nothing else", async () => {
      process.env["SECRET"] = "inherited";
      const argv = ["a b", 'c"d', "%PATH%", "x&y|z", "^", "größe 日本", ""];
      const child = await call(process.execPath, ["-e", REPORT, "--", ...argv], "two\nlines größe");

      expect(await child.done).toMatchObject({ exitCode: 7, signal: null, endedByRaymond: false });
      expect(JSON.parse(child.stdout())).toEqual({ argv, input: "two\nlines größe" });
      expect(child.stderr()).toBe("said\n");
    });

    it("reports the code of a missing program", async () => {
      const child = await call(path.resolve("/no/such.exe"), []);

      expect((await child.done).spawnError?.code).toBe("ENOENT");
    });

    it("is ended by an interrupt that it ignores", async () => {
      const child = await call(process.execPath, [
        "-e",
        "console.log('up'); setInterval(() => {}, 1e6)",
      ]);
      await until("it to be up", () => Promise.resolve(child.stdout().includes("up") || undefined));

      child.cancellation.interruptNow();

      expect(await child.done).toMatchObject({ endedByRaymond: true, leftOpen: false });
    });

    it("ends while its background processes hold its outputs", async () => {
      const lasting = "setTimeout(() => {}, 5_000)";
      const starts = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(lasting)}], { stdio: "inherit", detached: true }).unref()`;
      const child = await call(process.execPath, ["-e", starts]);

      expect(await child.done).toMatchObject({ exitCode: 0, leftOpen: true });
    });

    it("identifies this process consistently, and no dead process", async () => {
      const mine = await host.identify(process.pid, null);
      const child = await call(process.execPath, ["-e", ""]);
      await child.done;

      expect(mine).not.toBeNull();
      expect(await host.identify(process.pid, mine)).toBe(mine);
      expect(await host.identify(child.pid(), null)).toBeNull();
    });
  });
}

/** A process that is started with these words, and what it has said. */
async function callOn(
  host: ProcessHost,
  command: string,
  args: readonly string[],
  input: string | null,
) {
  const said = { stdout: "", stderr: "" };
  const cancelling = cancellation();
  let pid = 0;
  const given: ProcessCall = {
    command,
    args,
    cwd: await tempFolder(),
    env: { SystemRoot: process.env["SystemRoot"] ?? "" },
    input,
    onStart: (started) => {
      pid = started;
    },
    onStdout: (chunk) => {
      said.stdout += chunk.toString();
    },
    onStderr: (chunk) => {
      said.stderr += chunk.toString();
    },
    token: "run.1",
    cancellation: cancelling,
  };
  const { done } = host.start(given);
  return {
    done,
    pid: () => pid,
    cancellation: cancelling,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
  };
}
