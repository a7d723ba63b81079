import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { readExecuting, shown } from "../../../src/clients/common/executing-file.ts";
import { tempFolder } from "../../support/folders.ts";

it("counts a file as executing if its content cannot be evaluated", async () => {
  const file = path.join(await tempFolder(), "settings.json");
  await writeFile(file, `${"[".repeat(200_000)}${"]".repeat(200_000)}`);

  const read = await readExecuting(file, "settings.json", (text) => [shown(JSON.parse(text))]);

  expect(read?.statements).toEqual([
    expect.stringContaining("so its effect is unknown") as unknown as string,
  ]);
});
