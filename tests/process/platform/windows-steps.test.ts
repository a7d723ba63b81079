import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessCall } from "../../../src/engine/ports/process.ts";
import type { ProcessRow } from "../../../src/process/platform/table.ts";
import {
  livingPids,
  livingSteps,
  recordSteps,
  type WindowsStep,
} from "../../../src/process/platform/windows-steps.ts";
import { tempFolder } from "../../support/folders.ts";
import { bashCall } from "../../support/process/bash-call.ts";

const SESSION = "6b1f4f0e-8a53-4f0d-9a7e-1d2c3b4a5968";
const AT = Date.UTC(2026, 10, 22);
const STEP: WindowsStep = { pid: 500, at: AT, markers: [SESSION] };

function row(pid: number, parent: number, afterMs: number, command = ""): ProcessRow {
  const startTicks = String((BigInt(AT + afterMs) + 11_644_473_600_000n) * 10_000n);
  return { pid, parent, group: pid, startTicks, token: null, command };
}

describe("livingPids", () => {
  it.each<[what: string, row: ProcessRow, found: boolean]>([
    ["the process itself", row(500, 7, -3), true],
    ["a later process with its pid", row(500, 7, 60_000), false],
    ["an earlier process with its pid", row(500, 7, -60_000), false],
    [
      "a client that its command script has started",
      row(501, 500, 40, `node --resume ${SESSION}`),
      true,
    ],
    ["a child that nothing shows to be its own", row(501, 500, 40, "node server.js"), false],
    [
      "another user's client of that conversation",
      row(501, 42, 40, `node --resume ${SESSION}`),
      false,
    ],
    ["one who was there before", row(501, 500, -60_000, `node --resume ${SESSION}`), false],
    ["any other process", row(502, 7, 40, "notepad"), false],
  ])("of a step that was killed counts %s", (_what, each, found) => {
    expect(livingPids([STEP], [each])).toEqual(found ? [each.pid] : []);
  });
});

describe("the record of a step on Windows", () => {
  it("exists while its process is running, and finds it after a crash", async () => {
    const folder = path.join(await tempFolder(), "groups");
    const { call, started } = held([SESSION, "--model"]);
    const { done } = recordSteps(started.start, folder)(call);

    const [name = ""] = readdirSync(folder);
    const see = () => {
      const at = BigInt(Date.now()) + 11_644_473_600_000n;
      return Promise.resolve([{ ...row(4_321, 1, 0), startTicks: String(at * 10_000n) }]);
    };
    expect(await livingSteps(folder, { epoch: null }, see)).toEqual([4_321]);

    started.end();
    await done;
    expect(existsSync(path.join(folder, name))).toBe(false);
  });

  it("avoids listing processes without records", async () => {
    const see = () => Promise.reject(new Error("looked"));

    expect(await livingSteps(await tempFolder(), { token: "run.1" }, see)).toEqual([]);
  });
});

/** A call of these arguments, and a start that only says so. */
function held(args: readonly string[]) {
  const { call } = bashCall("true");
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const facts = {
    exitCode: 0,
    signal: null,
    spawnError: null,
    endedByRaymond: false,
    durationMs: 1,
    leftOpen: false,
  };
  return {
    call: { ...call, args },
    started: {
      end: () => {
        end();
      },
      start: (given: ProcessCall) => {
        given.onStart?.(4_321);
        return { done: ended.then(() => facts), end: () => undefined };
      },
    },
  };
}
