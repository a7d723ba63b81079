import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { endMarked } from "../../support/process/leaks.ts";
import { until } from "../../support/until.ts";

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "starts no helper after %s, which ends those that run",
  async (signal) => {
    const program = new URL("../../fixtures/process/restarts-helpers.ts", import.meta.url);
    const marker = randomUUID();
    const running = spawn(process.execPath, ["--import", "tsx", fileURLToPath(program)], {
      cwd: fileURLToPath(new URL("../../..", import.meta.url)),
      env: { ...process.env, HELPER_TEST: marker },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(running, "exit");
    onTestFinished(() => void running.kill("SIGKILL"));
    let output = "";
    running.stdout.on("data", (chunk) => (output += String(chunk)));
    const all = () => Promise.resolve(output.split("started").length > 8 ? true : undefined);
    await until("all helpers to be started", all);

    running.kill(signal);

    expect(await exit).toEqual([null, signal]);
    expect(await endMarked("HELPER_TEST", marker)).toEqual([]);
  },
);
