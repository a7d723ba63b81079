import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { otherInstalledAgent } from "../../src/author/installed-agent.ts";
import { tempFolder } from "../support/folders.ts";

async function withPrograms(...names: readonly string[]) {
  const cwd = await tempFolder();
  for (const name of names) await writeFile(path.join(cwd, name), "#!/bin/sh\n", { mode: 0o755 });
  return otherInstalledAgent({ env: { PATH: cwd, HOME: cwd }, cwd });
}

it("is the first installed coding agent, if that is not the default one", async () => {
  expect(await withPrograms("pi")).toBe("pi");
  expect(await withPrograms("claude", "pi")).toBeNull();
  expect(await withPrograms()).toBeNull();
});
