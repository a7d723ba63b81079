import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { testCommand } from "../../../src/cli/commands/author/test.ts";
import { baseRecord, readJournal, replayJournal } from "../../../src/machine/record/journal.ts";
import { resume } from "../../../src/run/resume.ts";
import { type StartOptions, start } from "../../../src/run/start.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { tempFolder } from "../../support/folders.ts";
import { testShell } from "../../support/test-shell.ts";

type Options = Parameters<typeof testCommand>[0];

/** A folder with these files, and `raymond test` in it. */
export async function scene(files: Readonly<Record<string, string>>) {
  const dir = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return {
    dir,
    write: (name: string, text: string) => writeFile(path.join(dir, name), text),
    /** A simulated run `r` in this folder, to its end. */
    run: async (workflow: string, settings: StartOptions["settings"] = {}, input?: string) => {
      const caller = thisProcess({ cwd: dir, env: process.env });
      return start({ workflow, id: "r", simulate: true, settings, input }, caller);
    },
    resume: () => resume({ run: "r" }, thisProcess({ cwd: dir, env: process.env })),
    read: (name: string) => readFile(path.join(dir, name), "utf8"),
    /** Its exit code and what it has printed. */
    test: async (options: Partial<Options> = {}) => {
      const shell = testShell(dir, process.env);
      const code = await testCommand({ paths: [], ...options }, shell);
      return { code, out: shell.stdout(), err: shell.stderr() };
    },
  };
}

/** The journal of the run `r`, as one that has grown begins: with the save in which this step is recorded. */
export async function compact(dir: string, step: number): Promise<void> {
  const file = path.join(dir, ".raymond/runs/r/journal.jsonl");
  const records = readJournal(await readFile(file, "utf8"));
  const saves = records.map(({ save }) => replayJournal(records, save));
  const at = saves.findIndex((folded) => folded.ok && folded.run.processes >= step);
  const base = saves[at];
  if (base?.ok !== true) throw new Error(`there is no step ${String(step)}`);
  const lines = [baseRecord(base.run), ...records.slice(at + 1)].map((one) => JSON.stringify(one));
  await writeFile(file, `${lines.join("\n")}\n`);
}

/** A workflow of a prompt, a script that checks, and an end. */
export const FLOW = {
  "flow/START.md":
    "---\nallowed_transitions:\n  - { tag: goto, target: CHECK }\n---\nDo {{input}}.\n",
  "flow/CHECK.sh": "# raymond: timeout=5s\necho '<goto>END</goto>'\n",
  "flow/CHECK.bat": "@rem raymond: timeout=5s\r\n@echo ^<goto^>END^</goto^>\r\n",
  "flow/END.md": "The end: {{result}}\n",
} as const;
