import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { manualClients } from "../../src/run/manual/manual-client.ts";
import { fileStore } from "../../src/storage/file.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { agent } from "../support/agents.ts";
import { tempFolder } from "../support/folders.ts";
import { run, settings } from "../support/runs.ts";

/** The `--disallowed-tools` that `raymond open` calls the client with; the agent is in another workflow, `lib`. */
async function deniedTo(changes: Parameters<typeof settings>[0]): Promise<string | undefined> {
  const cwd = await tempFolder();
  for (const name of ["w", "lib"]) {
    await mkdir(path.join(cwd, name));
    await writeFile(path.join(cwd, name, "START.md"), "Work.");
  }
  const client = path.join(cwd, "claude");
  await writeFile(client, "#!/bin/sh\n", { mode: 0o755 });
  const inLib = agent({ workflow: "lib", state: "START.md" });
  const opened = run({
    workflow: { kind: "folder", path: path.join(cwd, "w"), entry: "START.md" },
    ...{ scopeDir: path.join(cwd, "w"), launchDir: cwd, agents: [inLib] },
    settings: settings({ clients: { claude: client }, ...changes }),
  });
  const artifacts = await fileStore(path.join(cwd, ".raymond")).artifacts(opened.id);
  const caller = thisProcess({ cwd, env: {} });
  const project = { folder: cwd, trust: "required" } as const;
  const manual = { run: opened, artifacts, project, warn: () => undefined };
  const hand = await manualClients(manual, caller)("claude");

  const { args } = await hand.call("s1", cwd, inLib);

  return args
    .find((arg) => arg.startsWith("--disallowed-tools="))
    ?.slice("--disallowed-tools=".length)
    .replaceAll(`/${cwd}/`, "");
}

describe("raymond open", () => {
  it("denies edits to the workflow's files and the state folder, as a step does", async () => {
    expect(await deniedTo({ disallowedTools: ["WebFetch"] })).toBe(
      "WebFetch,Edit(.raymond),Edit(w),Edit(lib),Edit(//**/.raymond)",
    );
  });

  it("denies none of them without protect_workflow", async () => {
    expect(await deniedTo({ protectWorkflow: false })).toBeUndefined();
  });
});
