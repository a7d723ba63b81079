import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fakeClient } from "../fixtures/fake-client.ts";
import { zipOf } from "../support/disk/zips.ts";
import { until } from "../support/until.ts";
import { ONE_FILE, REPLIES, STOPS, type Stop, WORKFLOW } from "./story.ts";

/*
 * Writes golden state files, one per stop in story.ts:
 *
 *   npm run build
 *   node --import tsx tests/golden/write.ts v1 dist/cli/main.cjs [stop ...]
 *
 * `v1` is the version of the state file. Before a change of the format, write the files of the former version
 * and add it to VERSIONS. The paths of the project and the client become `{project}` and `{client}`.
 */

const [version = "", program = "", ...names] = process.argv.slice(2);
// Absolute: it runs in another folder.
const main = path.resolve(program);

for (const stop of STOPS) {
  if (names.length > 0 && !names.includes(stop.name)) continue;
  const text = await write(stop);
  const file = path.join(import.meta.dirname, "states", `${version}.${stop.name}.json`);
  await writeFile(file, text);
  console.log(`${path.basename(file)}  ${/"status": "\w+"/.exec(text)?.[0] ?? "?"}`);
}

async function write(stop: Stop): Promise<string> {
  const project = await mkdtemp(path.join(tmpdir(), "raymond-golden-"));
  const client = await fakeClient({ replies: [...(stop.first ?? []), ...REPLIES] });
  try {
    await mkdir(path.join(project, "w"));
    for (const [name, text] of Object.entries(WORKFLOW)) {
      await writeFile(path.join(project, "w", name), text);
    }
    await writeFile(path.join(project, "w.zip"), zipOf(WORKFLOW));
    await writeFile(path.join(project, "w.yaml"), ONE_FILE);
    for (const name of stop.files ?? []) await writeFile(path.join(project, name), "");
    const state = path.join(project, ".raymond", "workflows", "golden.json");
    const child = spawn(
      process.execPath,
      [
        main,
        stop.kind === "zip" ? "w.zip" : stop.kind === "file" ? "w.yaml" : "w",
        "--workflow-id=golden",
        "--input=hello",
        ...(stop.kind === "simulation" ? ["--simulate"] : []),
        ...(stop.words ?? []),
      ],
      {
        cwd: project,
        env: { ...client.env, RAYMOND_CLAUDE: client.command, HOME: project },
        stdio: ["ignore", "ignore", "inherit"],
        detached: true,
      },
    );
    const ended = once(child, "close");
    const { when, signal, name } = stop;
    if (when !== undefined && signal !== undefined) {
      await until(`${name} at its stop`, async () => {
        const text = await readFile(state, "utf8").catch(() => "");
        return when.test(text) ? text : undefined;
      });
      child.kill(signal);
    }
    await ended;
    const text = await readFile(state, "utf8");
    for (const { pid } of await client.calls()) end(pid);
    return text.replaceAll(project, "{project}").replaceAll(client.command, "{client}");
  } finally {
    await rm(project, { recursive: true, force: true });
    await client.remove();
  }
}

/** Ends a process that a killed raymond left running. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
