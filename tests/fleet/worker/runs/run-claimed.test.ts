import { expect, it } from "vitest";
import { isWorkerFault } from "../../../../src/fleet/worker/runs/run-claimed.ts";
import { BrokenOffError } from "../../../../src/wire/errors.ts";

it("does not count a full disk of the worker against a run, but counts other failures", () => {
  const brokenOffBy = (code: string) =>
    new BrokenOffError("wf-1", Object.assign(new Error(code), { code }));

  expect(
    ["ENOSPC", "EDQUOT", "EACCES", "EPIPE"].map((code) => isWorkerFault(brokenOffBy(code))),
  ).toEqual([...[true, true, false, false]]);
  expect(isWorkerFault(new Error("a bug"))).toBe(false);
});
