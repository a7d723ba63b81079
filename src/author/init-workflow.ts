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
  const template = findTemplate(wanted.template);
  if ("meant" in template) {
    const known = TEMPLATES.map(({ name }) => name);
    throw authorErrors["workflow/unknown-template"](wanted.template, template.meant, known);
  }
  const named = wanted.folder ?? template.name;
  const folder = path.resolve(caller.cwd, named);
  const from = path.join(shipped.samples, template.sample);
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
    template: template.name,
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
    TEMPLATES.map(async ({ name, sample }) => {
      const { manifest } = await describeWorkflow(path.join(samples, sample), caller);
      return { name, manifest };
    }),
  );
}

/** Files of a workflow are named after it. Comments with commands name the new path. */
function copyOf(file: string, { sample }: Template, named: string, folder: string) {
  const name = file.startsWith(`${sample}.`) ? `${folder}${file.slice(sample.length)}` : file;
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

/** `sample`: folder of a sample workflow, with its description, tests and scenario. */
interface Template {
  readonly name: string;
  readonly sample: string;
}

/** In display order. */
export const TEMPLATES: readonly Template[] = [
  { name: "plan-build-review", sample: "plan-then-implement" },
  { name: "ralph", sample: "ralph" },
  { name: "fix-until-green", sample: "review-gate" },
  { name: "map-and-merge", sample: "map-and-merge" },
  { name: "parallel-worktrees", sample: "parallel-worktrees" },
  { name: "pull-request-review", sample: "pull-request-review" },
  { name: "poll-and-process", sample: "poll-and-process" },
  { name: "nightly-question", sample: "nightly-question" },
  { name: "nightly", sample: "nightly" },
  { name: "evaluator", sample: "evaluator" },
  { name: "fork-workers", sample: "fork-workers" },
];

/** Finds a template by its name or sample folder. `meant`: the nearest name, or null. */
function findTemplate(wanted: string): Template | { readonly meant: string | null } {
  const found = TEMPLATES.find(({ name, sample }) => wanted === name || wanted === sample);
  if (found !== undefined) return found;
  const names = TEMPLATES.map(({ name }) => name);
  const part = names.find((name) => wanted.length > 2 && name.includes(wanted.toLowerCase()));
  return { meant: nearest(wanted, names) ?? part ?? null };
}
