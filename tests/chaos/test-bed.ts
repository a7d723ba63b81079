import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { parseDocument } from "../../src/stores/parse-document.ts";
import type { StateDocument } from "../../src/stores/state-document.ts";
import { type FakeClient, fakeClient } from "../fixtures/fake-client.ts";
import { type Project, tempProject } from "../support/project.ts";
import { MOST_MS } from "../support/until.ts";
import { zipOf } from "../support/zips.ts";
import { CLOCK_VARIABLE } from "./fast-clock.ts";
import { CHAOS_MAIN } from "./place.ts";
import { RUN, type Scenario } from "./scenarios.ts";

/** A project in which one scenario is run, and the client that it asks. */
export interface TestBed {
  readonly scenario: Scenario;
  readonly project: Project;
  readonly client: FakeClient;
  /** What every raymond here is started with, `entry.ts` among it. */
  readonly env: Readonly<Record<string, string>>;
}

/** How one command of a run ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A moment at which raymond was gone, and what it had recorded by then. */
export interface Crash {
  readonly document: StateDocument | null;
}

/** Sets a scenario up, for one test. */
export async function makeTestBed(scenario: Scenario): Promise<TestBed> {
  const { zipped } = scenario;
  const plain = Object.entries(scenario.files).filter(
    ([file]) => !zipped.some((folder) => file.startsWith(`${folder}/`)),
  );
  const project = await tempProject(Object.fromEntries(plain));
  for (const folder of zipped) {
    await project.writeBytes(`${folder}.zip`, zipOf(inFolder(scenario.files, `${folder}/`)));
  }
  const effects = path.join(project.dir, "effects");
  const clock = { from: Date.now(), speed: scenario.speed };
  const { replies } = scenario;
  const client = await fakeClient({ effects, transcripts: true, clock, replies });
  onTestFinished(() => client.remove());
  const claude = path.join(project.home, "claude");
  await writeFile(claude, quickClient(client.command), { mode: 0o755 });
  const env = {
    ...project.env,
    EFFECTS: effects,
    RAYMOND_CLAUDE: claude,
    FAKE_CLAUDE: client.env["FAKE_CLAUDE"] ?? "",
    [CLOCK_VARIABLE]: `${String(clock.from)} ${String(clock.speed)}`,
  };
  return { scenario, project, client, env };
}

/** Questions about itself are most of what a client is asked here: they are answered without Node. */
function quickClient(client: string): string {
  return `#!/bin/bash
case "$1" in
--version) echo "2.1.330 (Claude Code)" ;;
auth) echo '{ "loggedIn": true, "authMethod": "api_key", "apiProvider": "firstParty" }' ;;
*) exec node '${client}' "$@" ;;
esac
`;
}

/** The state file as it is now; null without one. Throws when it is not whole. */
export async function documentOf({ project }: TestBed): Promise<StateDocument | null> {
  const file = path.join(project.dir, ".raymond", "workflows", `${RUN}.json`);
  const found = await readFile(file, "utf8").catch(() => null);
  return found === null ? null : parseDocument(found, file);
}

/**
 * What a careful user would type next, as the state file stands; null when the
 * run is complete, or has stopped in a way that the scenario does not know.
 */
export async function nextCommand(bed: TestBed): Promise<readonly string[] | null> {
  const { scenario, project } = bed;
  const document = await documentOf(bed);
  if (document === null) {
    const workflow = scenario.zipped.includes("w") ? "w.zip" : "w";
    return [workflow, "--workflow-id", RUN, ...scenario.flags];
  }
  const { status } = document;
  if (status === "running" || status === "waiting") return ["--resume", RUN];
  const sequel = scenario.sequels.find((each) => each.status === status);
  if (sequel === undefined) return null;
  for (const [file, content] of Object.entries(sequel.files)) await project.write(file, content);
  return ["--resume", RUN, ...sequel.flags];
}

/** Runs one command to its end. */
export async function command(
  { project, env }: TestBed,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [CHAOS_MAIN, ...words], {
    cwd: project.dir,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: MOST_MS,
    killSignal: "SIGABRT",
  });
  const [[exitCode, signal], stdout, stderr] = await Promise.all([
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, signal, stdout, stderr };
}

/** A life of a run, command by command. */
export interface Lifetime {
  readonly commands: readonly Ended[];
  readonly crashes: readonly Crash[];
}

/**
 * Goes on with the run until nothing is left to do. `more` is the environment
 * of the nth command (from 0). Throws where it does not come to an end.
 */
export async function live(
  bed: TestBed,
  more: (nth: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<Lifetime> {
  const commands: Ended[] = [];
  const crashes: Crash[] = [];
  for (let nth = 0; nth < MOST_COMMANDS; nth += 1) {
    const words = await nextCommand(bed);
    if (words === null) return { commands, crashes };
    const ended = await command(bed, words, more(nth));
    commands.push(ended);
    if (ended.signal === "SIGKILL") crashes.push({ document: await documentOf(bed) });
  }
  throw new Error(`The run did not end:\n${commands.map(({ stderr }) => stderr).join("\n")}`);
}

const MOST_COMMANDS = 8;

function inFolder(files: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  const inside = Object.entries(files).filter(([name]) => name.startsWith(folder));
  return Object.fromEntries(inside.map(([name, content]) => [name.slice(folder.length), content]));
}
