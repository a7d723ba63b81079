import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { endMarked, type MarkedProcess, markedProcesses } from "./process/leaks.ts";
import { until } from "./until.ts";

/** A project folder with its own home, without git, with an isolated environment. */
export interface Project {
  /** The project folder. */
  readonly dir: string;
  readonly home: string;
  /** The complete environment of commands. Child processes inherit its marker. */
  readonly env: Readonly<Record<string, string>>;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  writeBytes(file: string, bytes: Buffer): Promise<void>;
  /** All files below a folder, relative to the project. */
  list(folder: string): Promise<readonly string[]>;
  /** Resolves with the content of a file when it exists and matches. */
  fileWith(file: string, holds?: (text: string) => boolean): Promise<string>;
  /**
   * The documented part of the state file of a run (docs/state-file.md).
   */
  run(id: string): Promise<RunDocument>;
  /** Living processes that were started in the project. Empty except on Linux. */
  orphans(): Promise<readonly MarkedProcess[]>;
}

export type RunDocument = z.infer<typeof runSchema>;

/**
 * Creates a project with these files (relative paths). After the test it is removed, remaining processes are
 * killed, and the test fails if there were any.
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
    orphans: () => markedProcesses(MARKER, marker),
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

const MARKER = "CLAUDE_TEST_PROJECT";

/** Required variables of the machine, without personal settings. */
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
