import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { processHost } from "../../../src/process/platform/host.ts";
import { thisHost } from "../../../src/storage/lock/host-identity.ts";
import type { LockRecord } from "../../../src/storage/lock/lock-file.ts";
import { resultScript, scene } from "../../e2e/scene.ts";
import { reportFigure } from "../figures.ts";
import { differences, snapshot } from "./snapshot.ts";

const PLACE = await thisHost();

type Changes = Partial<LockRecord>;

/** Possible locks of a run, as changes to a lock of the process `sleeper`. */
const FREE: readonly (readonly [what: string, changes: Changes])[] = [
  ["of a process that is dead", { pid: 2 ** 22 - 1, identity: "of the dead" }],
  ["of a pid that is used again", { identity: "of the one before" }],
  ["that was released", { released: true }],
  ["of the time before this machine was renamed", { host: "old-name", identity: "of the dead" }],
];

const HELD: readonly (readonly [what: string, changes: Changes])[] = [
  ["of another host", { host: "elsewhere", boot: "another" }],
  ["of another machine of the same name", { machine: "another" }],
  ["of another container", { namespace: "pid:[1]" }],
];

/** A reboot ends all processes, if the machine is the same. */
const OF_ANOTHER_BOOT = ["of another boot", { boot: "before", identity: "of then" }] as const;

it.each(PLACE.machine === null ? FREE : [...FREE, OF_ANOTHER_BOOT])(
  "a lock %s does not block the run, and stop sends no signal",
  async (what, changes) => {
    const { raymond, sleeper } = await stoppedRun(changes);

    const status = await raymond("status one");
    const stopped = await raymond("stop one");
    const resumed = await raymond("--resume one");

    await reportFigure({ what: `a lock ${what}`, count: 3, failures: [] });
    expect(status.stdout).toMatch(/^status +interrupted$/m);
    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stdout).toContain("one is not running");
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();
  },
);

it.each(PLACE.machine === null ? [...HELD, OF_ANOTHER_BOOT] : HELD)(
  "a lock %s blocks all commands, and the message explains how to continue",
  async (what, changes) => {
    const { raymond, sleeper, folder, lock } = await stoppedRun(changes);
    const before = await snapshot(folder);

    for (const line of ["--resume one", "prune one", "prune --all --yes"]) {
      const refused = await raymond(line);
      expect(refused).toMatchObject({ exitCode: 6, stdout: "" });
      expect(refused.stderr).toContain(`locked by process ${String(sleeper.pid)} on `);
      expect(refused.stderr).toContain("raymond resume one --take-over");
    }
    const stopped = await raymond("stop one");
    expect(stopped.exitCode).not.toBe(0);
    expect(stopped.stderr).toContain(String(sleeper.pid));
    await reportFigure({ what: `a lock ${what}`, count: 4, failures: [] });
    expect(differences(before, await snapshot(folder))).toEqual([]);
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();

    const silent = new Date(Date.now() - 60_000);
    for (const file of [
      lock,
      ...["workflows/one.json", "runs/one/events.jsonl"].map((name) => path.join(folder, name)),
    ]) {
      await utimes(file, silent, silent);
    }
    const over = await raymond("--resume one --take-over");
    expect(over).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(over.stderr).toContain(`was locked by process ${String(sleeper.pid)} on `);
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();

    const [last = ""] = (await readdir(path.dirname(lock))).filter((name) =>
      name.startsWith("lock."),
    );
    await writeFile(path.join(path.dirname(lock), last), "{");
    const damaged = await raymond("--resume one");
    expect(damaged.exitCode).not.toBe(0);
    expect(damaged.stderr).toContain(
      `Cannot read the lock ${path.join(path.dirname(lock), last)} of run one`,
    );
  },
);

/** An interrupted run with the lock of a living process. */
async function stoppedRun(changes: Changes) {
  const { project, raymond, start } = await scene({
    "w/START.sh": `echo >>acted; [ "$RAYMOND_ATTEMPT" = 1 ] && sleep 60; ${resultScript("ok")}`,
  });
  const first = start("w --workflow-id one");
  await project.fileWith("acted");
  first.kill("SIGINT");
  await first.exit;

  const sleeper = spawn("sleep", ["300"], { stdio: "ignore" });
  onTestFinished(async () => {
    sleeper.kill("SIGKILL");
    if (sleeper.exitCode === null && sleeper.signalCode === null) await once(sleeper, "exit");
  });
  const folder = path.join(project.dir, ".raymond");
  const [name = ""] = await readdir(path.join(folder, "runs", "one")).then((names) =>
    names.filter((each) => each.startsWith("lock.")),
  );
  const { pid = 0 } = sleeper;
  const record: LockRecord = {
    pid,
    started_at: "2026-11-21T10:30:00.000Z",
    identity: (await processHost().identify(pid, null)) ?? "",
    released: false,
    ...PLACE,
    ...changes,
  };
  const lock = path.join(folder, "runs", "one", name);
  await writeFile(lock, JSON.stringify(record));
  return { raymond, sleeper, folder, lock };
}
