import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type FakeClient, type FakeScript, fakeClient } from "../fixtures/fake-client.ts";
import { type CliOptions, type CliResult, type Running, raymond, start } from "../support/cli.ts";
import { type Project, tempProject } from "../support/project.ts";
import { until } from "../support/until.ts";

type Line = string | readonly string[];
type Circumstances = Omit<CliOptions, "project">;

/** A project with a fake client. */
export interface Scene {
  readonly project: Project;
  /**
   * Runs a command to its end. A text is split at spaces. Rejects if the output contains a stack: no user action
   * may cause one.
   */
  readonly raymond: (line: Line, how?: Circumstances) => Promise<CliResult>;
  readonly start: (line: Line, how?: Circumstances) => Running;
  /** Runs a bash command in the project, where `raymond` is a function. */
  readonly bash: (line: string) => Promise<CliResult>;
  /** All client calls. */
  readonly calls: () => ReturnType<FakeClient["calls"]>;
  /** Resolves when the client has been called `times` times. */
  readonly called: (times: number) => Promise<void>;
  /** Ids of runs with a state file. */
  readonly runs: () => Promise<readonly string[]>;
}

/** Creates a scene for one test. */
export async function scene(
  files: Readonly<Record<string, string>>,
  replies: FakeScript["replies"] = [],
  script: Omit<FakeScript, "replies"> = {},
): Promise<Scene> {
  const project = await tempProject(files);
  const client = await fakeClient({ ...script, replies });
  onTestFinished(() => client.remove());
  const env = { RAYMOND_CLAUDE: client.command, CLAUDE_FAKE: client.env["CLAUDE_FAKE"] ?? "" };
  const options = (how: Circumstances = {}): CliOptions => {
    return { project, ...how, env: { ...env, ...how.env } };
  };
  return {
    project,
    raymond: async (line, how) => refuseStack(await raymond(words(line), options(how))),
    start: (line, how) => start(words(line), options(how)),
    bash: async (line) => refuseStack(await bash(line, project.dir, { ...project.env, ...env })),
    calls: () => client.calls(),
    called: async (times) => {
      const enough = async () => ((await client.calls()).length >= times ? true : undefined);
      await until(`call ${String(times)} of the client`, enough);
    },
    runs: async () => {
      const names = await readdir(path.join(project.dir, ".raymond", "workflows")).catch(() => []);
      return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
    },
  };
}

/** A script that returns this result. */
export function resultScript(words: string): string {
  return `echo "<result>${words}</result>"\n`;
}

/** A script that waits for a file and then runs `rest`. */
export function waitForFile(file: string, rest: string): string {
  return `until [ -e ${file} ]; do sleep 0.2; done\n${rest}\n`;
}

/** The lines `error:` and `hint:` of a command. */
export function refusal({ stderr }: CliResult): string {
  return stderr
    .split("\n")
    .filter((line) => /^(error|hint):|^ {2}\S/.test(line))
    .join("\n");
}

function words(line: Line): readonly string[] {
  return typeof line === "string" ? line.split(" ") : line;
}

function refuseStack(result: CliResult): CliResult {
  if (/^ +at .*:\d+:\d+\)?$|This is a bug/m.test(result.stderr)) {
    throw new Error(`It shows a stack:\n${result.stderr}`);
  }
  return result;
}

const BIN = path.join(import.meta.dirname, "..", "..", "bin", "raymond.js");

function bash(line: string, cwd: string, env: Readonly<Record<string, string>>) {
  const command = `'${process.execPath}' '${BIN}'`;
  const options = { cwd, env: { ...env, RAYMOND: command }, timeout: 60_000 };
  return new Promise<CliResult>((resolve) => {
    const script = `raymond() { ${command} "$@"; }\n${line}`;
    const child = execFile("bash", ["-c", script], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      resolve({ exitCode, signal: child.signalCode, stdout, stderr });
    });
    child.stdin?.end();
  });
}
