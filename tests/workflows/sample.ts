import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulation } from "../../src/clients/simulation/scenario.ts";
import { parseSimulation } from "../../src/clients/simulation/script.ts";
import { tagCalls } from "../../src/language/outline/tag-calls.ts";
import { TAG_TABLE } from "../../src/language/protocol/tag-table.ts";
import { TAGS } from "../../src/language/protocol/transition.ts";
import { parseStateFile } from "../../src/language/workflow/files/parse-state-file.ts";
import type { Platform } from "../../src/language/workflow/files/platform.ts";
import type { StateFile } from "../../src/language/workflow/files/state-file.ts";

/** Folder of the sample workflows. */
export const WORKFLOWS = join(import.meta.dirname, "..", "..", "workflows");

/** Sample workflows, sorted. */
export const SAMPLES: readonly string[] = readdirSync(WORKFLOWS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** A sample workflow. */
export interface Sample {
  readonly dir: string;
  /** All files of the folder. */
  readonly files: readonly string[];
  /** Files that are states. */
  readonly names: readonly string[];
  readonly states: readonly StateFile[];
  readonly simulation: Simulation;
  readonly text: (file: string) => string;
}

/** Reads a sample workflow. Throws if a file cannot be parsed. */
export function readSample(name: string): Sample {
  const dir = join(WORKFLOWS, name);
  const files = readdirSync(dir).sort();
  const names = files.filter((file) => /\.(md|sh|bat)$/.test(file));
  const text = (file: string) => readFileSync(join(dir, file), "utf8");
  const simulations = files.filter((file) => file.endsWith(".sim.yaml"));
  const [simulation] = simulations;
  if (simulation === undefined || simulations.length > 1) {
    throw new Error(`${name} has ${String(simulations.length)} simulations`);
  }
  return {
    dir,
    files,
    names,
    states: names.map((file) => parseStateFile(file, text(file))),
    simulation: parseSimulation(join(dir, simulation), text(simulation)),
    text,
  };
}

/** Platforms with the extension of their scripts. */
export const SCRIPTS = [
  ["unix", ".sh"],
  ["windows", ".bat"],
] as const satisfies readonly (readonly [Platform, string])[];

/** A tag in the source of a script, with unexpanded variables. */
export interface WrittenTag {
  readonly tag: string;
  readonly target: string;
  readonly returnTo: string | null;
  readonly next: string | null;
}

/** Tags whose content is a state. */
const NAMING: ReadonlySet<string> = new Set(
  TAGS.filter((tag) => TAG_TABLE[tag].content.holds === "state"),
);

/** The tags in the source of a script and its helpers (`x.ps1`), without shell quoting. */
export function writtenTags({ text }: Sample, script: string): readonly WrittenTag[] {
  const source = text(script);
  const helpers = [...source.matchAll(/\\(powershell\\\w+\.ps1)/g)].map(([, helper = ""]) =>
    text(helper.replace("\\", "/")),
  );
  const plain = [source, ...helpers].join("\n").replaceAll("^", "").replaceAll('\\"', '"');
  const tags = plain.matchAll(new RegExp(`<(${TAGS.join("|")})(\\s[^<>]*)?>([^<]*)`, "g"));
  const echoed = [...tags].map(([, tag = "", attributes = "", content = ""]) => ({
    tag,
    target: NAMING.has(tag) ? content : "",
    returnTo: /\breturn="([^"]*)"/.exec(attributes)?.[1] ?? null,
    next: /\bnext="([^"]*)"/.exec(attributes)?.[1] ?? null,
  }));
  const printed = tagCalls(source.replaceAll(/^#.*$/gm, "")).map(({ element }) => {
    const { tag, attributes, content } = element;
    const values = new Map(attributes);
    const target = NAMING.has(tag) ? content : "";
    return {
      tag,
      target,
      returnTo: values.get("return") ?? null,
      next: values.get("next") ?? null,
    };
  });
  return [...echoed, ...printed];
}
