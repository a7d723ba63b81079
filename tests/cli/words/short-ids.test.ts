import { describe, expect, it } from "vitest";
import { shortIds } from "../../../src/cli/words/short-ids.ts";

describe("the short id of a run", () => {
  it("is its tail, and the whole of an id that somebody chose", () => {
    expect([...shortIds(["wf-2026-11-21-k3x9qd", "nightly"])]).toEqual([
      ["wf-2026-11-21-k3x9qd", "k3x9qd"],
      ["nightly", "nightly"],
    ]);
  });

  it("is the whole id where the tail could mean another run, too", () => {
    const twins = ["wf-2026-11-21-k3x9qd", "wf-2026-11-22-k3x9qd"];
    expect([...shortIds(twins).values()]).toEqual(twins);
    const namesake = ["wf-2026-11-21-k3x9qd", "k3x9qd-again"];
    expect([...shortIds(namesake).values()]).toEqual(namesake);
  });
});
