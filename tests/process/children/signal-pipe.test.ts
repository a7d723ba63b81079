import { once } from "node:events";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  hasSignalPipe,
  isPipeIdentity,
  openSignalPipe,
  signalByPipe,
} from "../../../src/process/children/signal-pipe.ts";
import { tempFolder } from "../../support/folders.ts";

const GONE = "1:00000000-0000-4000-8000-000000000000";

/** Where there are no named pipes, sockets in a folder stand for them. */
async function pipesHere(): Promise<string> {
  return path.join(await tempFolder(), "p.");
}

describe("a signal pipe", () => {
  it("exists while its process is alive, with a unique identity", async () => {
    const pipes = await pipesHere();

    const [one, other] = [await openSignalPipe(pipes), await openSignalPipe(pipes)];

    expect(one).not.toBe(other);
    expect([one, other].map(isPipeIdentity)).toEqual([true, true]);
    expect(isPipeIdentity(String(process.pid))).toBe(false);
    expect(await hasSignalPipe(one, pipes)).toBe(true);
    expect(await hasSignalPipe(GONE, pipes)).toBe(false);
    expect(await signalByPipe(GONE, "SIGTERM", pipes)).toBe("gone");
  });

  it.each(["SIGTERM", "SIGUSR2"] as const)("delivers %s to a listener", async (signal) => {
    const pipes = await pipesHere();
    const identity = await openSignalPipe(pipes);
    const received = once(process, signal);

    expect(await signalByPipe(identity, signal, pipes)).toBe("delivered");
    expect((await received)[0]).toBe(signal);
  });

  it("delivers nothing else", async () => {
    const pipes = await pipesHere();
    const identity = await openSignalPipe(pipes);

    expect(await signalByPipe(identity, "exit; rm -rf /".repeat(9) as NodeJS.Signals, pipes)).toBe(
      "no-answer",
    );
    expect(await hasSignalPipe(identity, pipes)).toBe(true);
  });
});
