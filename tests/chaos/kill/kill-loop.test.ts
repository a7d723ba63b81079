import { randomInt } from "node:crypto";
import path from "node:path";
import { expect, it } from "vitest";
import { weightedTokens } from "../../../src/machine/model/spend.ts";
import { readJournal, replayJournal } from "../../../src/machine/record/journal.ts";
import { printRun } from "../../../src/storage/codec/print-run.ts";
import { fileStore } from "../../../src/storage/file.ts";
import { journalText } from "../../../src/storage/journal-file.ts";
import { reportFigure, size } from "../figures.ts";
import { compare, type Observation, observe } from "../observable.ts";
import { RUN, type Scenario } from "../scenarios.ts";
import { live, makeTestBed, type TestBed } from "../test-bed.ts";
import { type KillPlan, killPlan } from "./kill-plan.ts";
import { killTrial } from "./kill-trial.ts";

const GIVEN = process.env["RAYMOND_KILL_SEED"];
const SEED = GIVEN === undefined ? randomInt(2 ** 31) : Number(GIVEN);
const ROUNDS = size("RAYMOND_KILLS", GIVEN === undefined ? 30 : 1);
/** Concurrent rounds. */
const SIDE_BY_SIDE = 4;
/** Accelerates the retry delays after a killed client. */
const SPEED = 20;

it(`${String(ROUNDS)} runs with random kills have the same result as undisturbed ones, from seed ${String(SEED)}`, async () => {
  const failures: string[] = [];
  let kills = 0;
  const seeds = Array.from({ length: ROUNDS }, (_, nth) => SEED + nth);
  const unbroken = unbrokenRuns();
  const rounds = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const plan = killPlan(seed);
      const { hits, problems } = await round(plan, unbroken).catch((error: unknown) => {
        return { hits: [], problems: [String(error)] };
      });
      kills += hits.length;
      failures.push(...problems.map((problem) => failureText(seed, plan, hits, problem)));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, rounds));
  await reportFigure({ what: "runs under random kills", count: ROUNDS, failures });
  await reportFigure({ what: "random kills", count: kills, failures: [] });
  expect(failures).toEqual([]);
});

interface Outcome {
  readonly hits: readonly string[];
  readonly problems: readonly string[];
}

async function round({ scenario, kills }: KillPlan, unbroken: Unbroken): Promise<Outcome> {
  const bed = await makeTestBed({ ...scenario, speed: SPEED });
  const life = await killTrial(bed, kills);
  const seen = await observe(bed, life);
  const problems = [
    ...compare(await unbroken(scenario), seen, life.crashes),
    ...life.left.map((each) => `lived on: ${each}`),
    ...(await moneyProblems(bed)),
    ...(await logProblems(bed, life.crashes.length)),
    ...(await journalProblems(bed, life.crashes.length)),
  ];
  if (problems.length > 0) problems.push(life.commands.map(({ stderr }) => stderr).join("--\n"));
  return { hits: life.hits, problems };
}

type Unbroken = (scenario: Scenario) => Promise<Observation>;

/** Undisturbed runs by scenario. */
function unbrokenRuns(): Unbroken {
  const known = new Map<string, Promise<Observation>>();
  const run = async (scenario: Scenario) => {
    const bed = await makeTestBed({ ...scenario, speed: SPEED });
    return observe(bed, await live(bed));
  };
  return (scenario) => {
    const made = known.get(scenario.name) ?? run(scenario);
    known.set(scenario.name, made);
    return made;
  };
}

/**
 * Lines of the event log have consecutive numbers. A kill can truncate a line, and events of the last save can be
 * missing before a resume.
 */
async function logProblems({ project }: TestBed, crashes: number): Promise<readonly string[]> {
  const text = await project.read(`.raymond/runs/${RUN}/events.jsonl`);
  const lines = text.split("\n");
  const whole = lines.flatMap((line) => {
    const [, type, seq] = /^\{"type":"([^"]*)","seq":(\d+).*\}$/.exec(line) ?? [];
    return seq === undefined ? [] : { type, seq: Number(seq) };
  });
  const torn = lines.length - 1 - whole.length;
  const wrong = whole.filter(({ type, seq }, index) => {
    const before = whole[index - 1]?.seq ?? 0;
    return seq !== before + 1 && !(seq > before && type === "run.resumed");
  });
  const numbers = whole.map(({ seq }) => seq).join(" ");
  return [
    ...(wrong.length === 0 ? [] : [`event log: ${numbers}`]),
    ...(torn <= crashes ? [] : [`event log: ${String(torn)} lines are torn`]),
  ];
}

/** Tokens always have a cost or an estimate (docs/budgets.md, "How money is counted"). */
async function moneyProblems({ project }: TestBed): Promise<readonly string[]> {
  const saved = await fileStore(path.join(project.dir, ".raymond")).load(RUN);
  return Object.entries(saved?.sums.states ?? {}).flatMap(([state, sums]) => {
    const isFree =
      weightedTokens(sums.tokens) > 0 && sums.costMicroUsd + sums.estimatedMicroUsd === 0;
    return isFree ? [`money: ${state} has tokens, and neither a cost nor an estimate`] : [];
  });
}

/** The journal reproduces the last save. A kill can truncate its last line. */
async function journalProblems({ project }: TestBed, crashes: number): Promise<readonly string[]> {
  const file = path.join(project.dir, ".raymond", "runs", RUN, "journal.jsonl");
  const text = (await journalText(file)) ?? "";
  const records = readJournal(text);
  const torn = text.split("\n").filter((line) => line !== "").length - records.length;
  const saved = await fileStore(path.join(project.dir, ".raymond")).load(RUN);
  if (saved === undefined) return ["journal: there is no such run"];
  const folded = replayJournal(records, saved.saves);
  if (!folded.ok) return [`journal: ${folded.problem}`];
  return [
    ...(printRun(folded.run).text === printRun(saved).text
      ? []
      : ["journal: it reproduces another state"]),
    ...(torn <= crashes ? [] : [`journal: ${String(torn)} lines are torn`]),
  ];
}

function failureText(
  seed: number,
  { scenario }: KillPlan,
  hits: readonly string[],
  problem: string,
): string {
  const again = `RAYMOND_KILL_SEED=${String(seed)} npx vitest run --project chaos tests/chaos/kill/kill-loop.test.ts`;
  return `${scenario.name}, killed: ${hits.join("; ")}: ${problem}\n${again}`;
}
