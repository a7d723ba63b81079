import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALL_RUNS,
  parseRoute,
  printRoute,
  runRoute,
  TABS,
} from "../../../src/dashboard/page/route.ts";
import { GROUPS } from "../../../src/dashboard/page/rows/run-rows.ts";

describe("the address of a view", () => {
  it("leads back to it, whatever the run is called", () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" });
    const step = fc.option(fc.nat(999_999_999));
    const tab = fc.constantFrom(...TABS);
    fc.assert(
      fc.property(name, name, step, tab, fc.option(name), (folder, run, number, tab, agent) => {
        const route = { ...runRoute(folder, run, number), tab, agent };
        expect(parseRoute(printRoute(route))).toEqual(route);
      }),
    );
  });

  it("has the filter of the list", () => {
    const words = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(words, fc.constantFrom(...GROUPS), (words, group) => {
        const route = { view: "runs", words, group } as const;
        expect(parseRoute(printRoute(route))).toEqual(route);
      }),
    );
  });

  it.each(["", "#", "#/", "#/only-a-folder", "#/a/b/c", "#/a/b/1/2", "#token=x"])(
    "%j is that of the runs",
    (hash) => {
      expect(parseRoute(hash)).toEqual(ALL_RUNS);
    },
  );

  it("is read where it is badly written", () => {
    expect(parseRoute("#/%/b")).toMatchObject({ folder: "%", run: "b" });
  });
});
