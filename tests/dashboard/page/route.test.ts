import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRoute, printRoute } from "../../../src/dashboard/page/route.ts";

describe("the address of a view", () => {
  it("leads back to it, whatever the run is called", () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" });
    const step = fc.option(fc.nat(999_999_999));
    fc.assert(
      fc.property(name, name, step, (folder, run, number) => {
        const route = { view: "run", folder, run, step: number } as const;
        expect(parseRoute(printRoute(route))).toEqual(route);
      }),
    );
  });

  it.each(["", "#", "#/", "#/only-a-folder", "#/a/b/c", "#/a/b/1/2", "#token=x"])(
    "%j is that of the runs",
    (hash) => {
      expect(parseRoute(hash)).toEqual({ view: "runs" });
    },
  );

  it("is read where it is badly written", () => {
    expect(parseRoute("#/%/b")).toMatchObject({ folder: "%", run: "b" });
  });
});
