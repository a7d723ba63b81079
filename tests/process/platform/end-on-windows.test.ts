import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { endOnWindows } from "../../../src/process/platform/end-on-windows.ts";

describe("endOnWindows", () => {
  it("uses only taskkill if that succeeds", async () => {
    const tree = sleeper();

    const taskkill = (pid: number) => {
      process.kill(pid, "SIGKILL");
      return Promise.resolve(null);
    };

    expect(await endOnWindows(tree, taskkill)).toBeNull();
    expect(tree.running()).toBe(false);
  });

  it("ends the process itself where taskkill cannot, and says that the others may live", async () => {
    const tree = sleeper();

    expect(await endOnWindows(tree, () => Promise.resolve("Access denied."))).toBe(
      `The process ${String(tree.pid)} was terminated, but its child processes may still be running (taskkill said: Access denied.).`,
    );
    expect(tree.running()).toBe(false);
  });

  it("returns no warning for a process that ended on its own", async () => {
    const tree = sleeper();
    tree.signal();
    await tree.exited;

    expect(await endOnWindows(tree, () => Promise.resolve("not found"))).toBeNull();
  });
});

function sleeper() {
  const child = spawn("sleep", ["300"]);
  return {
    pid: child.pid ?? 0,
    token: "",
    running: () => child.exitCode === null && child.signalCode === null,
    exited: once(child, "exit").then(() => undefined),
    signal: () => void child.kill("SIGKILL"),
  };
}
