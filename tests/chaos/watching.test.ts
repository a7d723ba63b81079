import { expect, it } from "vitest";
import { resultScript, type Scene, scene } from "../e2e/scene.ts";
import { reportFigure } from "./figures.ts";

const STEPS = 40;

/** A loop of steps. */
const FILES = {
  "w/START.sh": `
    echo x >>steps
    [ "$(wc -l <steps)" -lt ${String(STEPS)} ] && echo '<goto>START</goto>' && exit
    ${resultScript("ok")}`,
};

/** Commands that inspect a run or send it requests, in bash. */
const WATCHERS = [
  "raymond list | true",
  "raymond list --all --json",
  "raymond status one --json | head -c 1",
  "raymond status one >&- 2>&-",
  "raymond cost one",
  "raymond prune --dry-run --all",
  "raymond retry one",
] as const;

it("a run is not affected by commands that inspect it, or by closed outputs", async () => {
  const alone = await scene(FILES);
  const undisturbed = await alone.bash("raymond w --workflow-id one --json");
  const watched = await scene(FILES);
  // Its outputs go to a reader that exits, and to a closed descriptor.
  const run = watched.bash("(raymond w --workflow-id one --json 2>&-; echo $? >code) | head -c 1");
  const life = { over: false };
  const end = run.finally(() => (life.over = true));
  await watched.project.fileWith(".raymond/workflows/one.json");

  const failures: string[] = [];
  let looks = 0;
  do {
    const line = WATCHERS[looks % WATCHERS.length] ?? "";
    const looked = await watched.bash(line);
    if (looked.exitCode !== 0) failures.push(`${line}: ${looked.stderr}`);
    looks += 1;
  } while (!life.over || looks < WATCHERS.length);
  await end;

  if (undisturbed.exitCode !== 0) failures.push(undisturbed.stderr);
  const wanted = await traces(alone);
  const got = await traces(watched);
  for (const what of Object.keys(wanted)) {
    if (got[what] !== wanted[what]) failures.push(`${what}: ${String(got[what])}`);
  }
  await reportFigure({ what: "inspections of a running run", count: looks, failures });
  expect(failures).toEqual([]);
});

/** Files of a run without random values and times. */
async function traces({ project }: Scene): Promise<Readonly<Record<string, string>>> {
  const log = await project.read(".raymond/runs/one/events.jsonl");
  const state = await project.read(".raymond/workflows/one.json");
  const exitCode = await project.read("code").catch(() => "0\n");
  const locks = await project.list(".raymond/runs/one");
  return {
    log: plain(log, project.dir),
    state: plain(state, project.dir),
    steps: await project.read("steps"),
    exitCode,
    files: locks.filter((name) => !/lock\.\d+$/.test(name)).join(" "),
  };
}

function plain(text: string, dir: string): string {
  return text
    .replaceAll(dir, "project")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then")
    .replaceAll(/"(duration_s|duration_ms|elapsed_s)": ?[\d.]+/g, '"$1":0')
    .replaceAll(/"token": "[0-9a-f]+"/g, '"token": ""');
}
