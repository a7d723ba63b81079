import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  costOf,
  medianRatio,
  quantile,
  sampleOf,
  scaled,
  timeInTurns,
  without,
} from "./measure.ts";

describe("samples", () => {
  it("have median, minimum and maximum, in the order of turns", () => {
    expect(sampleOf([3, 1, 2])).toEqual({ values: [3, 1, 2], median: 2, min: 1, max: 3 });
    expect(sampleOf([]).median).toBeNaN();
  });

  it("are subtracted and scaled turn by turn", () => {
    expect(without(sampleOf([10, 30]), sampleOf([1, 2])).values).toEqual([9, 28]);
    expect(scaled(sampleOf([1_000, 500]), 1 / 1_000).values).toEqual([1, 0.5]);
  });

  it("have the median of the ratios of each turn, not the ratio of the medians", () => {
    expect(medianRatio(sampleOf([2, 40, 6]), sampleOf([1, 10, 4]))).toBe(2);
  });

  it("have quantiles", () => {
    const sample = sampleOf(Array.from({ length: 100 }, (_, n) => n + 1));

    expect(quantile(sample, 0.99).median).toBe(99);
    expect(quantile(sample, 0.5).median).toBe(50);
  });
});

describe("programs", () => {
  it("run alternately after a turn that does not count, with the cost of each", async () => {
    const cwd = await emptyFolder();
    const log = path.join(cwd, "log");
    const logs = (name: string) => {
      const code = `require("node:fs").appendFileSync(${JSON.stringify(log)}, "${name}")`;
      return { args: ["-e", code], cwd };
    };

    const times = await timeInTurns({ a: logs("a"), b: logs("b") }, 2);

    const { readFile } = await import("node:fs/promises");
    expect(await readFile(log, "utf8")).toBe("ababab");
    expect(times.a.wall.values).toHaveLength(2);
    expect(times.b.cpu.min).toBeGreaterThan(0);
  });

  it("may be a command of sh, which gets its argument without quoting problems", async () => {
    const cwd = await emptyFolder();

    const cost = await costOf({ args: ["test 'a b' =", "a b"], isCommand: true, cwd });

    expect(cost.wallMs).toBeGreaterThan(0);
    expect(cost.cpuMs).toBeNaN();
    await expect(costOf({ args: ["exit 3;"], isCommand: true, cwd })).rejects.toThrow(
      "ended with 3",
    );
  });
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-measure-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
