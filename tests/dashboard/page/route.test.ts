import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GROUPS } from "../../../src/dashboard/page/model/runs.ts";
import {
  ALL_RUNS,
  parseRoute,
  printRoute,
  runRoute,
  TABS,
} from "../../../src/dashboard/page/route.ts";

describe("the address of a view", () => {
  it("restores the view for any name of a run", () => {
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

  it("contains the filter of the list", () => {
    const words = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(words, fc.constantFrom(...GROUPS), (words, group) => {
        const route = { view: "runs", words, group } as const;
        expect(parseRoute(printRoute(route))).toEqual(route);
      }),
    );
  });

  it.each(["", "#", "#/", "#/only-a-folder", "#/a/b/c", "#/a/b/1/2", "#token=x"])(
    "%j shows the list of runs",
    (hash) => {
      expect(parseRoute(hash)).toEqual(ALL_RUNS);
    },
  );

  it("accepts invalid escape sequences", () => {
    expect(parseRoute("#/%/b")).toMatchObject({ folder: "%", run: "b" });
  });
});
