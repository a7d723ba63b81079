import { describe, expect, it } from "vitest";
import { reportFigure } from "../figures.ts";
import { pool } from "../pool.ts";
import { SCENARIOS } from "../scenarios.ts";
import { declaredPoints, type Pair, pairs } from "./crash-table.ts";
import { runUnbroken, type Trial, tryCrash, type Unbroken } from "./crash-trial.ts";

/** Concurrent runs: each mostly waits for the disk or for a process to start. */
const WIDTH = 4;

/** Every nth crash is followed by a crash of the resume. */
const TWICE = 4;

/** Pairs to test: a number per point, `all`, `some`, or those that contain a text in `<point> in <scenario>`. */
const ASKED = process.env["RAYMOND_CRASH_POINTS"] ?? "1";

describe("the table of crash points", () => {
  it("has each point in at least two scenarios", () => {
    const lonely = [...declaredPoints()].filter(([, scenarios]) => scenarios.length < 2);

    expect(lonely).toEqual([]);
  });
});

describe("a crash of raymond", () => {
  it("at any point of a step causes at most a repeated step", async () => {
    const chosen = choose();
    const needed = SCENARIOS.filter(({ name }) => chosen.some((pair) => pair.scenario === name));
    const runs = await pool(needed, WIDTH, runUnbroken);
    const unbroken = new Map(runs.map((run) => [run.scenario.name, run]));
    const trials = chosen.flatMap((pair, index) => trialsOf(pair, index, unbroken));
    const tried = await pool(trials, WIDTH, ({ trial, run }) => tryCrash(trial, run));
    const failures = [...runs, ...tried].flatMap((each) => each.failures);
    const sum = (what: "crashes" | "resumes") => tried.reduce((n, each) => n + each[what], 0);
    const points = new Set(chosen.map(({ point }) => point)).size;
    await reportFigure({ what: "crash points", count: points, failures: [] });
    await reportFigure({ what: "crash points × scenarios", count: chosen.length, failures });
    await reportFigure({ what: "crashes at them", count: sum("crashes"), failures: [] });
    await reportFigure({ what: "resumes after them", count: sum("resumes"), failures: [] });

    expect(failures).toEqual([]);
  });
});

function choose(): readonly Pair[] {
  if (ASKED === "all") return pairs(Infinity);
  // The temporary file of a save has no observable effect, so the short version skips these points.
  if (ASKED === "1") return pairs(1).filter(({ point }) => !/^save\..*\.written$/.test(point));
  if (ASKED === "some") return pairs(1).filter((_, index) => index % 10 === 0);
  if (/^\d+$/.test(ASKED)) return pairs(Number(ASKED));
  return pairs(Infinity).filter(({ point, scenario }) => {
    return `${point} in ${scenario}`.includes(ASKED);
  });
}

/** The first hit of the point; for every other pair the last one. */
function trialsOf(
  { point, scenario }: Pair,
  index: number,
  unbroken: ReadonlyMap<string, Unbroken>,
): readonly { readonly trial: Trial; readonly run: Unbroken }[] {
  const run = unbroken.get(scenario);
  const hits = run?.hits.filter((hit) => hit.point === point) ?? [];
  const [first, last] = [hits[0], hits.at(-1)];
  if (run === undefined || first === undefined || last === undefined) return [];
  const wanted = ASKED === "all" ? new Set([first, last]) : [index % 2 === 0 ? first : last];
  return [...wanted].map((hit) => {
    return { run, trial: { point, scenario, hit, again: index % TWICE === 0 } };
  });
}
