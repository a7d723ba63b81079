import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { endMarked, type MarkedProcess, markedProcesses } from "./leaks.ts";
import { until } from "./until.ts";

/** A folder to run raymond in, as a user's project: its own home, no git, nothing inherited. */
export interface Project {
  /** Where raymond is started; the files given stand here. */
  readonly dir: string;
  readonly home: string;
  /** The whole environment of what is run here. Every process below it carries the marker. */
  readonly env: Readonly<Record<string, string>>;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  writeBytes(file: string, bytes: Buffer): Promise<void>;
  /** All files below a folder, relative to the project. */
  list(folder: string): Promise<readonly string[]>;
  /** Resolves with the file's text as soon as it exists and passes the test. */
  fileWith(file: string, holds?: (text: string) => boolean): Promise<string>;
  /**
   * The state file of a run (docs/state-file.md, "What you may rely on"), as
   * far as others may rely on it.
   */
  run(id: string): Promise<RunDocument>;
  /** Processes that were started here and still live (Linux; elsewhere none are seen). */
  leftovers(): Promise<readonly MarkedProcess[]>;
}

export type RunDocument = z.infer<typeof runSchema>;

/**
 * Makes a project of these files (paths relative to it) for one test. When the
 * test has finished it is removed, what still runs in it is killed, and the
 * test fails if there was any such process.
 */
export async function tempProject(files: Readonly<Record<string, string>>): Promise<Project> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-test-")));
  const dir = path.join(root, "project");
  const home = path.join(root, "home");
  const marker = randomUUID();
  const project: Project = {
    dir,
    home,
    env: {
      ...inherited(),
      HOME: home,
      USERPROFILE: home,
      CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
      NO_COLOR: "1",
      [MARKER]: marker,
    },
    read: (file) => readFile(path.join(dir, file), "utf8"),
    write: (file, text) => place(path.join(dir, file), text),
    writeBytes: (file, bytes) => place(path.join(dir, file), bytes),
    list: async (folder) => {
      const below = path.join(dir, folder);
      const entries = await readdir(below, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
    },
    fileWith: (file, holds = () => true) =>
      until(`${file} to be there`, async () => {
        const text = await readFile(path.join(dir, file), "utf8").catch(() => undefined);
        return text !== undefined && holds(text) ? text : undefined;
      }),
    run: async (id) => {
      const text = await readFile(path.join(dir, ".raymond", "workflows", `${id}.json`), "utf8");
      return runSchema.parse(JSON.parse(text));
    },
    leftovers: () => markedProcesses(MARKER, marker),
  };
  await mkdir(dir);
  await mkdir(home);
  for (const [file, text] of Object.entries(files)) await project.write(file, text);
  onTestFinished(async () => {
    const left = await endMarked(MARKER, marker);
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) {
      const names = left.map(({ pid, command }) => `${String(pid)} ${command}`).join("; ");
      throw new Error(`The test left processes behind: ${names}`);
    }
  });
  return project;
}

async function place(target: string, content: string | Buffer): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
}

const MARKER = "TEST_PROJECT_MARKER";

/** What a program needs of this machine; no settings of whoever runs the tests. */
function inherited(): Record<string, string> {
  const names = ["PATH", "LANG", "TMPDIR", "TEMP", "SystemRoot", "PATHEXT", "COMSPEC"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const runSchema = z.looseObject({
  workflow_id: z.string(),
  status: z.string(),
  stop_reason: z.looseObject({ class: z.string(), message: z.string() }).nullable(),
  total_cost_usd: z.number(),
  totals: z.looseObject({
    estimated_usd: z.number(),
    tokens: z.looseObject({ input: z.number(), output: z.number() }),
  }),
  sums: z.looseObject({
    states: z.record(
      z.string(),
      z.looseObject({
        cost_usd: z.number(),
        estimated_usd: z.number(),
        tokens: z.looseObject({ input: z.number(), output: z.number() }),
      }),
    ),
  }),
  steps: z.number(),
  agents: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      current_state: z.string(),
      session_id: z.string().nullable(),
      stack: z.array(z.looseObject({ session: z.unknown(), state: z.string() })),
    }),
  ),
  results: z.record(z.string(), z.string()),
});
