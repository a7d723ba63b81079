import { describe, expect, it } from "vitest";
import { shortIds } from "../../../../src/cli/commands/inspect/list.ts";

describe("the short id of a run", () => {
  it("is its tail, or the whole id if the user chose it", () => {
    expect([...shortIds(["wf-2026-11-21-k3x9qd", "nightly"])]).toEqual([
      ["wf-2026-11-21-k3x9qd", "k3x9qd"],
      ["nightly", "nightly"],
    ]);
  });

  it("is the whole id if the tail could also mean another run", () => {
    const twins = ["wf-2026-11-21-k3x9qd", "wf-2026-11-22-k3x9qd"];
    expect([...shortIds(twins).values()]).toEqual(twins);
    const namesake = ["wf-2026-11-21-k3x9qd", "k3x9qd-again"];
    expect([...shortIds(namesake).values()]).toEqual(namesake);
  });
});
