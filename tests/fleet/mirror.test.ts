import { mkdir, readdir, utimes } from "node:fs/promises";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { mirrored } from "../../src/fleet/mirror.ts";
import { openDatabase } from "../../src/stores/postgres/database.ts";
import { postgresStore } from "../../src/stores/postgres/store.ts";
import { tempProject } from "../support/project.ts";

it("leaves nothing in the temporary folder, and removes what a killed command has left there", async () => {
  const { dir } = await tempProject({});
  const temporary = path.join(dir, "tmp");
  vi.stubEnv("TMPDIR", temporary);
  const make = async (name: string, ageHours: number) => {
    const at = new Date(Date.now() - ageHours * 3_600_000);
    await mkdir(path.join(temporary, name, "runs"), { recursive: true });
    await utimes(path.join(temporary, name), at, at);
  };
  // No process has so high a number.
  await make("raymond-fleet-99999999-old", 2);
  await make("raymond-fleet-99999998-young", 0);
  await make(`raymond-fleet-${String(process.pid)}-lives`, 2);
  await make("another", 2);

  // Nothing is asked of it.
  const database = openDatabase("postgresql://127.0.0.1:1/raymond");
  const mirror = await mirrored((root) => postgresStore(database, root), database);
  await mirror.end();

  expect(new Set(await readdir(temporary))).toEqual(
    new Set([
      "another",
      "raymond-fleet-99999998-young",
      `raymond-fleet-${String(process.pid)}-lives`,
    ]),
  );
});
