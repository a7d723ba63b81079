import { expect, it } from "vitest";
import { isNoFault } from "../../src/fleet/take.ts";
import { BrokenOffError } from "../../src/runs/errors.ts";

it("counts it not against a run that the disk of its machine is full, and does so where it ended by something else", () => {
  const brokenOffBy = (code: string) =>
    new BrokenOffError("wf-1", Object.assign(new Error(code), { code }));

  expect(
    ["ENOSPC", "EDQUOT", "EACCES", "EPIPE"].map((code) => isNoFault(brokenOffBy(code))),
  ).toEqual([...[true, true, false, false]]);
  expect(isNoFault(new Error("a bug"))).toBe(false);
});
