import { describe, expect, it } from "vitest";
import { limitYoungSpace } from "../../src/cli/v8-flags.ts";
import { agent } from "../support/agents.ts";
import { run } from "../support/runs.ts";

const event = { type: "run.warning", message: "", hint: null } as const;

describe("the room that V8 has for what is young", () => {
  it("stops growing once a run has many agents, and is left alone in small ones", () => {
    const flags: string[] = [];
    const observer = limitYoungSpace((flag) => flags.push(flag));
    const withAgents = (count: number) =>
      run({ agents: Array.from({ length: count }, (_, n) => agent({ id: `a${String(n)}` })) });

    observer.notify(event, withAgents(49), 1);
    expect(flags).toEqual([]);

    observer.notify(event, withAgents(50), 2);
    observer.notify(event, withAgents(51), 3);
    expect(flags).toEqual(["--semi-space-growth-factor=1"]);
  });
});
