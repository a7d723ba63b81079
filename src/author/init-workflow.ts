import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { nearest } from "../language/basics/nearest.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import { extensionOf, runsOn } from "../language/workflow/files/state-name.ts";
import { makeFolders } from "../storage/disk.ts";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { describeWorkflow } from "../wire/workflow.ts";
import { authorErrors } from "./errors.ts";
import { schemaKindOf, withYamlSchema, yamlSchemaLine } from "./schema-place.ts";

export interface Initialized {
  readonly template: string;
  /** Absolute. */
  readonly folder: string;
  /** Paths in the folder, sorted. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

/**
 * Writes a template into a new or empty folder: its states for this platform, its simulation, its
 * tests. `shipped`: folders of the shipped workflows and schemas. Rejects with a RaymondError, and
 * then leaves no file.
 */
export async function initWorkflow(
  wanted: {
    readonly template: string;
    readonly folder?: string | undefined;
    /** Include scripts for Windows on other platforms. */
    readonly windows?: boolean | undefined;
    /** Its coding agent; null: the default one. */
    readonly agent: string | null;
  },
  shipped: { readonly samples: string; readonly schemas: string },
  caller: Pick<Caller, "cwd">,
): Promise<Initialized> {
  const { template } = wanted;
  if (!TEMPLATES.includes(template)) {
    throw authorErrors["workflow/unknown-template"](template, meantBy(template), TEMPLATES);
  }
  const named = wanted.folder ?? template;
  const folder = path.resolve(caller.cwd, named);
  const from = path.join(shipped.samples, template);
  const withWindows = wanted.windows === true || systemPlatform() === "windows";
  const files = (await filesIn(from)).filter((file) => withWindows || isForUnix(file));
  const copies = files.map((file) => copyOf(file, template, named, path.basename(folder)));
  await orDiskError("write", folder, async () => {
    await mustBeEmpty(folder);
    const written: string[] = [];
    try {
      for (const { source, name, rewrite } of copies) {
        const target = path.join(folder, name);
        const original = rewrite(await readFile(path.join(from, source), "utf8"));
        const text = wanted.agent === null ? original : forAgent(name, original, wanted.agent);
        const kind = schemaKindOf(name);
        await makeFolders(path.dirname(target), 0o700);
        const whole =
          kind === null
            ? text
            : withYamlSchema(text, yamlSchemaLine(shipped.schemas, kind, target));
        await writeFile(target, whole, { flag: "wx", mode: 0o600 });
        written.push(target);
      }
    } catch (error) {
      // An incomplete workflow would look like a valid one.
      for (const file of written) await rm(file, { force: true });
      throw error;
    }
  });
  const { manifest } = await describeWorkflow(folder, caller);
  return {
    template,
    folder,
    files: copies.map(({ name }) => name).sort(),
    manifest,
  };
}

export async function describeTemplates(
  samples: string,
  caller: Pick<Caller, "cwd">,
): Promise<readonly { readonly name: string; readonly manifest: Manifest }[]> {
  return Promise.all(
    TEMPLATES.map(async (name) => {
      const { manifest } = await describeWorkflow(path.join(samples, name), caller);
      return { name, manifest };
    }),
  );
}

/** The simulation and the tests of a workflow are named after it. Comments with commands name the new path. */
function copyOf(file: string, sample: string, named: string, folder: string) {
  const own = [`${sample}.sim.yaml`, `${sample}.test.yaml`];
  const name = own.includes(file) ? `${folder}${file.slice(sample.length)}` : file;
  // Other characters could end the comment that contains the path.
  const place = /^[\w./-]+$/.test(named) ? named : "WORKFLOW";
  return {
    source: file,
    name,
    rewrite: (text: string) => text.replaceAll(`workflows/${sample}`, place),
  };
}

/** The shipped workflows name models of the default agent. */
function forAgent(name: string, text: string, agent: string): string {
  const own = text.replace(/^model: /gm, "# model: ");
  return name === "workflow.yaml" ? `agent: ${agent}\n${own}` : name.endsWith(".md") ? own : text;
}

function isForUnix(file: string): boolean {
  const extension = extensionOf(file);
  return extension === null || runsOn(file, "unix");
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

async function mustBeEmpty(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => null);
  if (there === null) return;
  const isFolder = there.isDirectory();
  if (!isFolder || (await readdir(folder)).length > 0)
    throw authorErrors["workflow/folder-taken"](folder, isFolder);
}

/** Folders of sample workflows with a description, a simulation and tests, in display order. */
export const TEMPLATES: readonly string[] = [
  ...["plan-then-implement", "ralph", "review-gate", "map-and-merge", "parallel-worktrees"],
  ...["pull-request-review", "poll-and-process", "nightly-question", "nightly", "evaluator"],
  ...["fork-workers", "findings", "handoff", "library"],
];

function meantBy(wanted: string): string | null {
  const part = TEMPLATES.find((name) => wanted.length > 2 && name.includes(wanted.toLowerCase()));
  return nearest(wanted, TEMPLATES) ?? part ?? null;
}
