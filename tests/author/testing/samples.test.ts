import path from "node:path";
import { describe, expect, it } from "vitest";
import { test } from "../../../src/author/test.ts";
import { exitCodeOfRun } from "../../../src/cli/words/exit-codes.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { SAMPLES, WORKFLOWS } from "../../workflows/sample.ts";

describe("the tests of the sample workflows", () => {
  it.each(SAMPLES)(
    "%s: pass, and come through every state and every declared transition",
    async (name) => {
      const paths = [path.join(WORKFLOWS, name)];

      const { files, coverage } = await test(
        { paths, coverage: true, exitCodeOf: exitCodeOfRun },
        thisProcess(),
      );

      const results = files.flatMap((file) => file.results);
      expect(results.flatMap(({ mismatches }) => mismatches)).toEqual([]);
      expect([...coverage.values()]).toMatchObject([
        { states: { missing: [] }, transitions: { missing: [] } },
      ]);
    },
  );
});
