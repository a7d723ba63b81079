import { existsSync } from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { openDatabase } from "../../../src/fleet/store/database.ts";
import { openMirror } from "../../../src/fleet/store/mirror.ts";
import { postgresStore } from "../../../src/fleet/store/store.ts";
import { thisHost } from "../../../src/storage/lock/host-identity.ts";
import { tempProject } from "../../support/project.ts";

it("leaves nothing in the temporary folder, and deletes folders of killed commands", async () => {
  const { dir } = await tempProject({});
  const temporary = path.join(dir, "tmp");
  vi.stubEnv("TMPDIR", temporary);
  const make = async (name: string, ageHours: number) => {
    const at = new Date(Date.now() - ageHours * 3_600_000);
    await mkdir(path.join(temporary, name, "runs"), { recursive: true });
    await utimes(path.join(temporary, name), at, at);
  };
  // No process has such a high pid.
  await make("raymond-fleet-99999999-old", 2);
  await make("raymond-fleet-99999998-young", 0);
  await make(`raymond-fleet-${String(process.pid)}-lives`, 2);
  await make("another", 2);
  const say = (name: string, owner: object) =>
    writeFile(path.join(temporary, name, "owner.json"), JSON.stringify(owner));
  const place = await thisHost();
  const pid = process.pid;
  // Killed recently, and its pid is reused.
  await make(`raymond-fleet-${String(pid)}-killed`, 0);
  await say(`raymond-fleet-${String(pid)}-killed`, { ...place, pid, identity: "another's" });
  const elsewhere = { ...place, machine: "another", boot: "another" };
  await make("raymond-fleet-99999997-elsewhere", 0);
  await say("raymond-fleet-99999997-elsewhere", {
    ...elsewhere,
    pid: 99999997,
    identity: "its",
  });
  await mkdir(path.join(temporary, "raymond-fleet-99999996-odd"));
  await writeFile(path.join(temporary, "raymond-fleet-99999996-odd", "owner.json"), "{ half of");

  // Never connected.
  const database = openDatabase("postgresql://127.0.0.1:1/raymond");
  const mirror = await openMirror((root) => postgresStore(database, root), database);
  const other = await openMirror((root) => postgresStore(database, root), database);
  await other.end();
  expect(existsSync(mirror.folder)).toBe(true);
  await mirror.end();

  expect(new Set(await readdir(temporary))).toEqual(
    new Set([
      "another",
      "raymond-fleet-99999998-young",
      "raymond-fleet-99999997-elsewhere",
      "raymond-fleet-99999996-odd",
      `raymond-fleet-${String(process.pid)}-lives`,
    ]),
  );
});
