import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { tuneV8 } from "../../src/cli/tune-v8.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { agent } from "../support/agents.ts";
import { run } from "../support/runs.ts";
import { started } from "../support/saved-runs.ts";

const NODE_20 = "11.3.244.8-node.33";
const NODE_22 = "12.4.254.21-node.35";

/** The flags that are set at each of these step starts of a run. */
function flagsAt(
  runs: readonly RunState[],
  version: string = NODE_20,
): readonly (readonly string[])[] {
  let flags: string[] = [];
  const observer = tuneV8((flag) => flags.push(flag), version);
  return runs.map((state, index) => {
    flags = [];
    observer.notify(started(index + 1), state, index + 1);
    return flags;
  });
}

const withAgents = (count: number) =>
  run({ agents: Array.from({ length: count }, (_, n) => agent({ id: `a${String(n)}` })) });

const OF_STEPS = ["--interrupt-budget=2000000"];
const OF_AGENTS = ["--semi-space-growth-factor=1", "--heap-growing-percent=40"];

describe("tuneV8", () => {
  it("changes nothing for a run of one step, and delays optimization from the second one", () => {
    expect(flagsAt([run(), run(), run()])).toEqual([[], OF_STEPS, []]);
  });

  it("delays no optimization after Node 20", () => {
    expect(flagsAt([run(), run(), run()], NODE_22)).toEqual([[], [], []]);
  });

  it("limits the heap once a run has many agents", () => {
    const sizes = [1, 1, 49, 50, 51].map(withAgents);
    expect(flagsAt(sizes)).toEqual([[], OF_STEPS, [], OF_AGENTS, []]);
  });

  it("only sets flags that this version of Node knows", () => {
    const flags = flagsAt([1, 1, 50].map(withAgents), process.versions.v8).flat();
    const set = flags.map((flag) => `v8.setFlagsFromString("${flag}");`).join("");
    const { status, stderr } = spawnSync(process.execPath, ["-e", set], { encoding: "utf8" });

    expect(flags).toEqual(expect.arrayContaining(OF_AGENTS));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
