import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { resultScript, type Scene, scene, waitForFile } from "../../e2e/scene.ts";
import type { CliResult } from "../../support/cli.ts";
import { until } from "../../support/until.ts";
import { reportFigure, size } from "../figures.ts";
import { differences, quietSnapshot } from "./snapshot.ts";

const RACES = size("RAYMOND_RACES", 1);
const RACERS = 20;

/** Logs its process. The first time it hangs, later it waits for the file `go`. */
const SCRIPT = `
  echo $RAYMOND_ATTEMPT $PPID >>"$RAYMOND_STATE_DIR/../acted"
  [ "$RAYMOND_ATTEMPT" = 1 ] && sleep 60
  ${waitForFile('"$RAYMOND_STATE_DIR/../go"', resultScript("ok"))}`;

it(`one of ${String(RACERS)} concurrent resumes under different names succeeds, the others change nothing`, async () => {
  const failures: string[] = [];
  for (let race = 0; race < RACES; race += 1) {
    failures.push(...(await raceToResume(race === 0)));
  }
  const count = (RACES + 1) * RACERS - 1;
  await reportFigure({ what: "racing resumes of one run", count, failures });
  expect(failures).toEqual([]);
});

/** `twice`: when one has won, all others try again. */
async function raceToResume(twice: boolean): Promise<readonly string[]> {
  const { project, start, runs } = await scene({ "w/START.sh": SCRIPT });
  await promisify(execFile)("git", ["init", "--quiet"], { cwd: project.dir });
  const first = start("w");
  await project.fileWith("acted");
  first.kill("SIGINT");
  await first.exit;
  const [id = ""] = await runs();
  const callers = await callersOf(project.dir, id);

  const race = racing(callers, start);
  await race.decided();
  const acted = await project.fileWith("acted", (text) => text.split("\n").length > 2);
  const quiet = await quietSnapshot(path.join(project.dir, ".raymond"));
  const again = racing(twice ? callers.slice(1) : [], start);
  const late = await again.all();
  const after = await quietSnapshot(path.join(project.dir, ".raymond"));
  await project.write("go", "");
  const results = await race.all();

  const won = results.filter(({ exitCode }) => exitCode === 0);
  const lost = [...results.filter((result) => !won.includes(result)), ...late];
  const winner = Number(acted.split("\n")[1]?.split(" ")[1]);
  const words = ` is locked by process ${String(winner)} on ${hostname()}, started at `;
  const log = await project.read(`.raymond/runs/${id}/events.jsonl`);
  const locks = Object.keys(after).filter((name) => /lock\.|claim\./.test(name));
  return [
    ...(won.length === 1 ? [] : [`${String(won.length)} have won`]),
    ...lost.filter((result) => !isRefused(result, words)).map(({ stderr }) => stderr),
    ...differences(quiet, after).map((file) => `${file} was changed by one that lost`),
    ...(acted === `1 ${String(first.pid)}\n2 ${String(winner)}\n` ? [] : [`acted: ${acted}`]),
    ...(log.match(/"type":"run.resumed"/g)?.length === 1 ? [] : [`event log: ${log}`]),
    ...(locks.length === 1 ? [] : [`locks: ${locks.join(", ")}`]),
  ];
}

function isRefused({ exitCode, stdout, stderr }: CliResult, words: string): boolean {
  return exitCode === 6 && stdout === "" && stderr.includes(words);
}

interface Caller {
  readonly words: readonly string[];
  readonly cwd: string;
}

/** The competing commands, with different names of the run. */
async function callersOf(dir: string, id: string): Promise<readonly Caller[]> {
  const linked = path.join(dir, "..", "linked");
  await symlink(dir, linked);
  await symlink(path.join(dir, ".raymond", "workflows", `${id}.json`), path.join(dir, "state"));
  await mkdir(path.join(dir, "other", "workflows"), { recursive: true });
  await symlink(path.join(dir, "state"), path.join(dir, "other", "workflows", "alias.json"));
  await mkdir(path.join(dir, "sub"));
  const file = path.join(".raymond", "workflows", `${id}.json`);
  const names = [
    [dir, id],
    [dir, id.slice(0, -1)],
    [dir, id.slice(-6)],
    [dir, "latest"],
    [dir, file],
    [dir, path.join(dir, file)],
    [dir, "./state"],
    [dir, path.join(linked, file)],
    [linked, id],
    [linked, file],
    [path.join(dir, "sub"), id],
    [path.join(dir, "sub"), path.join("..", file)],
    [path.join(linked, "sub"), "latest"],
    [dir, id, "--state-dir", ".raymond"],
    [dir, id, "--state-dir", path.join(linked, ".raymond")],
    [dir, "alias", "--state-dir", "other"],
    [path.dirname(dir), "alias", "--state-dir", path.join(linked, "other")],
    [path.dirname(dir), path.join(linked, "other", "workflows", "alias.json")],
    [path.dirname(dir), id.slice(-6), "--state-dir", "linked/.raymond"],
  ] as const;
  return Array.from({ length: RACERS }, (_, index) => {
    const [cwd, ...words] = names[index % names.length] ?? names[0];
    return { cwd, words: ["--resume", ...words] };
  });
}

interface Race {
  /** Resolves when all but one have ended. */
  decided(): Promise<boolean>;
  all(): Promise<readonly CliResult[]>;
}

function racing(callers: readonly Caller[], start: Scene["start"]): Race {
  const ended: CliResult[] = [];
  const all = callers.map(async ({ cwd, words }) => {
    const result = await start(words, { cwd }).exit;
    ended.push(result);
    return result;
  });
  const isDecided = () => Promise.resolve(ended.length >= callers.length - 1 ? true : undefined);
  return {
    decided: () => until("all but one to have ended", isDecided),
    all: () => Promise.all(all),
  };
}

it(`one of ${String(RACERS)} concurrent starts with the same id in a new state folder succeeds`, async () => {
  const failures: string[] = [];
  const races = Math.ceil(RACES / 2);
  for (let nth = 0; nth < races; nth += 1) {
    const { project, start, raymond } = await scene({ "w/START.sh": waitForGo });
    const words = ["w", "--workflow-id", "same"];
    const callers = Array.from({ length: RACERS }, () => ({ cwd: project.dir, words }));
    const race = racing(callers, start);
    await race.decided();
    await project.write("go", "");
    const results = await race.all();

    const others = results.filter(({ exitCode }) => exitCode !== 0);
    if (others.length !== RACERS - 1) failures.push(`${String(others.length)} were refused`);
    for (const { exitCode, stderr, stdout } of others) {
      const locked = exitCode === 6 && /locked by process \d+ on \S+, started at/.test(stderr);
      const exists = exitCode === 2 && stderr.includes("same");
      if (!(locked || exists) || stdout !== "") failures.push(`${String(exitCode)}: ${stderr}`);
    }
    if ((await project.read("acted")) !== "1\n") failures.push("it acted more than once");
    const list = await raymond("list --all");
    if (!/^same +completed/m.test(list.stdout)) failures.push(`list: ${list.stdout}`);
  }
  await reportFigure({ what: "racing starts of one id", count: races * RACERS, failures });
  expect(failures).toEqual([]);
});

const waitForGo = `echo "$RAYMOND_ATTEMPT" >>acted\n${waitForFile("go", resultScript("ok"))}`;

it(`${String(RACERS)} concurrent starts in a new state folder all succeed`, async () => {
  const { project, start, runs } = await scene({ "w/START.sh": resultScript("ok") });
  const callers = Array.from({ length: RACERS }, () => ({ cwd: project.dir, words: ["w"] }));

  const results = await racing(callers, start).all();

  const failures = results.filter(({ exitCode }) => exitCode !== 0).map(({ stderr }) => stderr);
  if ((await runs()).length !== RACERS) failures.push(`${String((await runs()).length)} runs`);
  await reportFigure({ what: "racing first runs of a project", count: RACERS, failures });
  expect(failures).toEqual([]);
});
