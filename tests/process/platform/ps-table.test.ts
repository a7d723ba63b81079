import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { psTable } from "../../../src/process/platform/ps-table.ts";
import { tempFolder } from "../../support/folders.ts";

/** A `ps` that prints one line, and writes down what it was asked, and how. */
async function fakePs(line: string): Promise<string> {
  const command = join(await tempFolder(), "ps");
  await writeFile(command, `#!/bin/sh\necho "${line}"\necho "$LC_ALL $TZ" "$@" >> "$0.log"\n`);
  await chmod(command, 0o700);
  return command;
}

describe("psTable", () => {
  it("parses ps output, which is requested without locale and time zone", async () => {
    const command = await fakePs(
      "812 1 812 S Fri Nov 21 10:00:59 2025 sleep 9 A=b RAYMOND_STEP_TOKEN=run.1 C=d",
    );

    expect(await psTable(command).rows(null)).toEqual([
      {
        pid: 812,
        parent: 1,
        group: 812,
        startTicks: "Fri Nov 21 10:00:59 2025",
        token: "run.1",
        command: "sleep 9",
      },
    ]);
    expect(await readFile(`${command}.log`, "utf8")).toMatch(/^C UTC0 -AEww /);
  });

  it("returns nothing without ps", async () => {
    const missing = psTable(join(await tempFolder(), "ps"));

    expect(await missing.rows(null)).toEqual([]);
    expect(await missing.startTicks([process.pid])).toEqual(new Map());
  });
});
