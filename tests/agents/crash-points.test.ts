import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "../../src/storage/codec/parse-document.ts";
import type { StateDocument } from "../../src/storage/codec/state-document.ts";
import { CRASH_AT, CRASH_LOG, type LoggedHit, parseHits } from "../chaos/crash/crash-point.ts";
import { pool } from "../chaos/pool.ts";
import type { CliResult } from "../support/cli.ts";
import { endMarked } from "../support/process/leaks.ts";
import {
  AGENTS,
  type AgentName,
  answer,
  begin,
  costs,
  FILES,
  type MixedScene,
  mixedScene,
  PRICES,
  RUN,
  sum,
} from "./mixed-scene.ts";

/** Concurrent runs: each mostly waits for a client. */
const WIDTH = 3;

/** Every nth crash is followed by a crash of the resume. */
const TWICE = 4;

/** Crash points of the sample. */
const SAMPLE = 6;

/** Points to test: `all`, or those that contain a text in `<point>#<hit>`; a number: a sample. */
const ASKED = process.env["RAYMOND_CRASH_POINTS"] ?? "1";

/** Points that each prompt reaches. */
const OF_A_PROMPT = [
  ...["save.started.prompt.before", "save.started.prompt.saved"],
  ...["prompt.before", "prompt.spawned", "prompt.output", "prompt.exit"],
  ...["save.accepted.before", "save.accepted.saved", "copy.before", "copy.after"],
];

describe("a crash of raymond in a run that plans with Claude Code, implements with Codex and reviews with pi", () => {
  it("at any point repeats at most the request in flight, and no cost is lost", {
    timeout: 3 * 3_600_000,
  }, async () => {
    const hits = await hitsOfUnbrokenRun();
    for (const point of OF_A_PROMPT) {
      const count = hits.filter((hit) => hit.point === point).length;
      expect([point, count >= AGENTS.length]).toEqual([point, true]);
    }
    const tried = await pool(choose(hits), WIDTH, (hit, index) =>
      tryCrash(hit, index % TWICE === 0),
    );

    expect(tried.flat()).toEqual([]);
  });
});

function choose(hits: readonly LoggedHit[]): readonly LoggedHit[] {
  if (ASKED === "all") return hits;
  const named = hits.filter(({ point, nth }) => `${point}#${String(nth)}`.includes(ASKED));
  if (!/^(?:\d+|some)$/.test(ASKED)) return named;
  const step = Math.ceil(hits.length / SAMPLE);
  return hits.filter((_, index) => index % step === Math.floor(step / 2));
}

async function hitsOfUnbrokenRun(): Promise<readonly LoggedHit[]> {
  const scene = await mixedScene(FILES, answer);
  const log = path.join(scene.project.home, "hits");
  expect(await begin(scene, { [CRASH_LOG]: log }).exit).toMatchObject({ stdout: "approved\n" });
  return parseHits(await readFile(log, "utf8"));
}

/** Kills raymond at the point, and resumes the run until it ends. One line per violation. */
async function tryCrash(hit: LoggedHit, again: boolean): Promise<readonly string[]> {
  const name = `${hit.point}#${String(hit.nth)}${again ? ", twice" : ""}`;
  for (let times = 1; ; times += 1) {
    const scene = await mixedScene(FILES, answer);
    const life = await live(scene, hit, again);
    const found = await problems(scene, life).catch((error: unknown) => [String(error)]);
    // Saves are combined at random: only the first hit of a point is certain.
    const isMissed = life.crashes.length === 0;
    if (isMissed && times < TIMES) continue;
    const missed = isMissed && hit.nth === 1 ? ["not reached"] : [];
    return [...missed, ...found].map((problem) => `${name}: ${problem}`);
  }
}

const TIMES = 3;

interface Life {
  readonly commands: readonly CliResult[];
  /** The state on disk at each crash. */
  readonly crashes: readonly (StateDocument | null)[];
}

async function live(scene: MixedScene, hit: LoggedHit, again: boolean): Promise<Life> {
  const points = [`${hit.point}#${String(hit.nth)}`, ...(again ? [hit.point] : [])];
  const commands: CliResult[] = [];
  const crashes: (StateDocument | null)[] = [];
  while (commands.length < MOST_COMMANDS) {
    const document = await documentOf(scene);
    if (document?.status === "completed") break;
    const point = points[commands.length];
    const env = point === undefined ? {} : { [CRASH_AT]: point };
    const running = document === null ? begin(scene, env) : scene.command(["resume", RUN], { env });
    const end = await running.exit;
    commands.push(end);
    if (end.signal === "SIGKILL") crashes.push(await documentOf(scene));
  }
  return { commands, crashes };
}

const MOST_COMMANDS = 5;

async function documentOf({ project }: MixedScene): Promise<StateDocument | null> {
  const file = `.raymond/workflows/${RUN}.json`;
  const text = await project.read(file).catch(() => null);
  return text === null ? null : parseDocument(text, file);
}

async function problems(scene: MixedScene, { commands, crashes }: Life): Promise<string[]> {
  const found: string[] = [];
  const check = (what: string, holds: boolean) => {
    if (!holds) found.push(what);
  };
  const document = await documentOf(scene);
  const last = commands.at(-1);
  const { spent, backends } = await costs(scene);
  const status = `${String(document?.status)} after ${String(document?.steps)} steps`;
  check(`${status}: ${last?.stderr ?? ""}`, status === "completed after 3 steps");
  if (last?.signal !== "SIGKILL")
    check(`stdout ${last?.stdout ?? ""}`, last?.stdout === "approved\n");
  let lost = 0;
  let extra = 0;
  for (const agent of AGENTS) {
    const asked = scene.asked.filter((request) => request.agent === agent);
    const inFlight = crashes.filter((each) => agentInFlight(each) === agent).length;
    const attempts = backends[agent]?.attempts ?? 0;
    check(
      `${agent} got ${String(asked.length)} requests with ${String(inFlight)} crashes`,
      asked.length >= 1 && asked.length <= 1 + inFlight,
    );
    check(
      `${agent} has ${String(attempts)} attempts of ${String(asked.length)} requests`,
      attempts >= asked.length,
    );
    check(`prompts of ${agent}`, new Set(asked.map(({ prompts }) => prompts[0])).size === 1);
    // An answer that was complete when its client was killed, before it was stored, has only an estimate.
    lost += (asked.length - 1) * PRICES[agent];
    extra += inFlight * (PRICES[agent] + INSTRUCTIONS);
  }
  const bill = sum(scene.billed());
  const figures = `the ledger is ${String(spent)}, the bill ${String(bill)}`;
  check(figures, spent >= 0.98 * (bill - lost) && spent <= bill + extra);
  const left = await endMarked("HOME", scene.project.home);
  check(`left: ${left.map(({ command }) => command).join(", ")}`, left.length === 0);
  return found;
}

/** The most that the estimate of a request without an answer costs here, micro-dollars. */
const INSTRUCTIONS = 50_000;

const AGENT_OF: Readonly<Record<string, AgentName>> = {
  START: "claude",
  IMPLEMENT: "codex",
  REVIEW: "pi",
};

function agentInFlight(document: StateDocument | null): AgentName | null {
  const [agent] = document?.agents ?? [];
  if (agent?.activity?.type !== "running") return null;
  return AGENT_OF[agent.current_state.replace(/\.md$/, "")] ?? null;
}
