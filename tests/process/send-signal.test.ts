import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { signalByPid, signalOnWindows } from "../../src/process/send-signal.ts";

describe("a signal to another process", () => {
  it("is never sent on Windows to a process known only by its pid", async () => {
    const child = spawn("sleep", ["300"]);
    const pid = child.pid ?? 0;

    for (const signal of ["SIGTERM", "SIGKILL", "SIGUSR2"] as const) {
      expect(await signalOnWindows({ pid, identity: String(pid) }, signal)).toBe("only-pid");
    }

    expect(child.kill("SIGKILL")).toBe(true);
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");
  });

  it("reports a missing process", async () => {
    const child = spawn("true");
    await once(child, "exit");

    const to = { pid: child.pid ?? 0, identity: "gone" };
    expect(await signalByPid(to, "SIGTERM")).toBe("gone");
  });
});
