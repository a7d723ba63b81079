import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { parseDocument } from "../../src/storage/codec/parse-document.ts";
import type { StateDocument } from "../../src/storage/codec/state-document.ts";
import { type FakeClient, fakeClient } from "../fixtures/fake-client.ts";
import { zipOf } from "../support/disk/zips.ts";
import { type Project, tempProject } from "../support/project.ts";
import { WAIT_MS } from "../support/until.ts";
import { CHAOS_MAIN } from "./place.ts";
import { RUN, type Scenario } from "./scenarios.ts";
import { CLOCK_VARIABLE } from "./time/fast-clock.ts";

/** A project with a scenario and its client. */
export interface TestBed {
  readonly scenario: Scenario;
  readonly project: Project;
  readonly client: FakeClient;
  /** Arguments of every raymond process, including `entry.ts`. */
  readonly env: Readonly<Record<string, string>>;
}

/** The end of a command. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A crash of raymond, with the state on disk at that time. */
export interface Crash {
  readonly document: StateDocument | null;
}

/** Sets up a scenario for one test. */
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
    CLAUDE_FAKE: client.env["CLAUDE_FAKE"] ?? "",
    [CLOCK_VARIABLE]: `${String(clock.from)} ${String(clock.speed)}`,
  };
  return { scenario, project, client, env };
}

/** Most client calls are version queries: a shell script answers them faster than Node. */
function quickClient(client: string): string {
  return `#!/bin/bash
case "$1" in
--version) echo "2.1.330 (Claude Code)" ;;
auth) echo '{ "loggedIn": true, "authMethod": "api_key", "apiProvider": "firstParty" }' ;;
*) exec node '${client}' "$@" ;;
esac
`;
}

/** The current state file; null if there is none. Throws if it is incomplete. */
export async function documentOf({ project }: TestBed): Promise<StateDocument | null> {
  const file = path.join(project.dir, ".raymond", "workflows", `${RUN}.json`);
  const found = await readFile(file, "utf8").catch(() => null);
  return found === null ? null : parseDocument(found, file);
}

/**
 * The next command for the current status; null if the run is complete, or has stopped in an unexpected way.
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

/** Runs a command to its end. */
export async function command(
  { project, env }: TestBed,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [CHAOS_MAIN, ...words], {
    cwd: project.dir,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: WAIT_MS,
    killSignal: "SIGABRT",
  });
  const [[exitCode, signal], stdout, stderr] = await Promise.all([
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, signal, stdout, stderr };
}

/** All commands of a run. */
export interface Lifetime {
  readonly commands: readonly Ended[];
  readonly crashes: readonly Crash[];
}

/**
 * Starts and resumes the run until it is complete. `more`: the environment of the nth command (from 0). Throws if it
 * does not complete.
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
