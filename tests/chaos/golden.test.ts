import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fakeClient } from "../fixtures/fake-client.ts";
import {
  ONE_FILE,
  PAYLOADS,
  REPLIES,
  STOPS,
  type Stop,
  VERSIONS,
  WORKFLOW,
} from "../golden/story.ts";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { reportFigure } from "./figures.ts";

const STATES = path.join(import.meta.dirname, "..", "golden", "states");
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

it("resumes state files of all versions and statuses to the end", async () => {
  const failures: string[] = [];
  const todo = Object.entries(VERSIONS).flatMap(([version, names]) =>
    names.map((name) => ({ version, name })),
  );
  const queue = [...todo];
  const work = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      failures.push(...(await resume(`${next.version}.${next.name}.json`, next.name)));
    }
  };
  await Promise.all([work(), work(), work()]);

  await reportFigure({ what: "faults: golden state files resumed", count: todo.length, failures });
  expect(failures).toEqual([]);
  const kept = todo.map(({ version, name }) => `${version}.${name}.json`);
  expect((await readdir(STATES)).sort()).toEqual(kept.sort());
});

/** The problems found while resuming one file. */
async function resume(file: string, name: string): Promise<readonly string[]> {
  const stop = STOPS.find((each) => each.name === name);
  if (stop === undefined) return [`${file}: there is no such stop`];
  const project = await tempProject(placed("w", WORKFLOW));
  const client = await fakeClient({ replies: REPLIES });
  onTestFinished(() => client.remove());
  const text = (await readFile(path.join(STATES, file), "utf8"))
    .replaceAll("{project}", project.dir)
    .replaceAll("{client}", client.command)
    // The wait is over.
    .replaceAll(/"until": "[^"]*"/g, `"until": "${new Date().toISOString()}"`);
  const run = JSON.parse(text) as { status: string; scope_dir: string };
  await project.write(".raymond/workflows/golden.json", text);
  for (const [payload, content] of Object.entries(PAYLOADS)) {
    await project.write(`.raymond/runs/golden/payloads/${payload}`, content);
  }
  const scope = path.relative(project.dir, run.scope_dir);
  for (const [at, content] of Object.entries(placed(scope, WORKFLOW))) {
    await project.write(at, content);
  }
  await project.write(".raymond/runs/golden/workflow.yaml", ONE_FILE);
  const script = client.env["CLAUDE_FAKE"] ?? "";
  await remember(`${script}.state`, text.match(UUID) ?? []);

  const { exitCode, stdout, stderr } = await raymond(
    ["--resume", "golden", ...(stop.resume ?? [])],
    { project, env: { RAYMOND_CLAUDE: client.command, CLAUDE_FAKE: script } },
  );

  const wanted = endOf(stop);
  const found = { status: run.status, exitCode, stdout, lost: stderr.includes("This is a bug") };
  const same = JSON.stringify(found) === JSON.stringify(wanted);
  return same
    ? []
    : [`${file}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}: ${stderr.slice(0, 600)}`];
}

function endOf({ status }: Stop) {
  const over = status === "completed";
  return { status, exitCode: over ? 2 : 0, stdout: over ? "" : "golden done\n", lost: false };
}

/** The client knows the conversations that the run has had. */
async function remember(folder: string, sessions: readonly string[]): Promise<void> {
  await mkdir(path.join(folder, "conversations"), { recursive: true });
  for (const id of sessions) {
    const known = { prompts: [], total: 0.01, cwd: "/" };
    await writeFile(path.join(folder, "conversations", id), JSON.stringify(known));
  }
}

function placed(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [path.posix.join(folder, name), text]),
  );
}
