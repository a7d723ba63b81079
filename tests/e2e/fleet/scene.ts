import { onTestFinished } from "vitest";
import type { Database } from "../../../src/fleet/store/database.ts";
import { type CliResult, type Running, raymond, start } from "../../support/cli.ts";
import type { MessagesApi } from "../../support/client/messages-api.ts";
import { initializedUrl, openedDatabase } from "../../support/fleet/postgres.ts";
import { type Project, tempProject } from "../../support/project.ts";
import { until } from "../../support/until.ts";

/** A fleet of worker processes, each with its own state folder. */
export interface Scene {
  readonly project: Project;
  readonly database: Database;
  /** Starts the worker of a machine; resolves when it is ready, or its machine is drained. */
  worker(machine: string, ...flags: readonly string[]): Promise<Running>;
  /** Runs a command to its end. */
  call(...words: readonly string[]): Promise<CliResult>;
  /** Submits a workflow. Resolves with the id of its run. */
  submit(workflow: string, ...flags: readonly string[]): Promise<string>;
  /** Resolves with the row of a run when it matches. */
  /** Rejects after `ms` (default: that of `until`). */
  rowOf(id: string, so: (row: RunRow) => boolean, ms?: number): Promise<RunRow>;
}

interface RunRow {
  readonly status: string;
  readonly home: string | null;
  readonly steps: number;
  readonly version: number;
  readonly set_aside: string | null;
}

/** Short, but tolerates a pause of a second. */
const TTL = "12s";

/** A worker lives as long as its test may take, ms. */
const WORKER_MS = 115_000;

export interface SceneOptions {
  readonly api?: MessagesApi;
  /** Additional environment of a worker, by machine. */
  readonly envOf?: (machine: string, project: Project) => Readonly<Record<string, string>>;
  /** Another command line for a machine. */
  readonly mainOf?: (machine: string) => string | undefined;
}

/** A project with these files and a new fleet. */
export async function fleetScene(
  files: Readonly<Record<string, string>>,
  { api, envOf = () => ({}), mainOf = () => undefined }: SceneOptions = {},
): Promise<Scene> {
  const url = await initializedUrl();
  const database = openedDatabase(url);
  const plain = await tempProject(files);
  const project = { ...plain, env: { ...plain.env, RAYMOND_FLEET: url } };
  const call = (...words: readonly string[]) => raymond(words, { project });
  return {
    project,
    database,
    call,
    worker: async (machine, ...flags) => {
      const words = ["worker", "--machine", machine, "--state-dir", machine];
      const main = mainOf(machine);
      const always = {
        ...{ project, env: envOf(machine, project) },
        ...(api !== undefined && { api }),
        ...(main !== undefined && { main }),
        timeoutMs: WORKER_MS,
      };
      const running = start([...words, "--poll", "200ms", "--ttl", TTL, ...flags], always);
      onTestFinished(async () => {
        running.kill("SIGCONT");
        running.kill("SIGTERM");
        await running.exit;
      });
      await running.waitForStderr(/Worker ready|is drained/);
      return running;
    },
    submit: async (workflow, ...flags) => {
      const { stdout, stderr } = await call("submit", workflow, ...flags);
      const id = stdout.trim();
      if (id === "") throw new Error(stderr);
      return id;
    },
    rowOf: (id, so, ms) => {
      const ask = async () => {
        const [row] = await database.query<RunRow>(
          "SELECT status, home, steps, version, set_aside FROM raymond.runs WHERE id = $1",
          [id],
        );
        return row !== undefined && so(row) ? row : undefined;
      };
      return until(`the row of ${id}`, ask, ms);
    },
  };
}
