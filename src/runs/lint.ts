import { RaymondError } from "../core/errors.ts";
import { type Finding, mended, pinned, type Severity } from "../core/lint/finding.ts";
import { lintWorkflow } from "../core/lint/lint-workflow.ts";
import type { BackendFacts } from "../core/machine/backend-facts.ts";
import type { Outline } from "../core/outline/outline.ts";
import { problemOf } from "../core/outline/outline-state.ts";
import { pathsIn } from "../core/outline/paths.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { PlacedError } from "../core/workflow/errors.ts";
import type { Platform } from "../core/workflow/platform.ts";
import type { FileProblem } from "../core/workflow/state-file.ts";
import type { SyntaxCheck } from "../ports/syntax.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { ZipMendError } from "./errors.ts";
import { readOutline } from "./outline.ts";
import { findOthers } from "./wire/other-workflows.ts";
import { systemSyntax } from "./wire/syntax.ts";
import { systemPlatform } from "./wire/system.ts";
import { findSource, nearStatesOf, textOfFile } from "./wire/workflow.ts";

export interface LintOptions {
  /** A folder, a zip, a file with states, or a state of a folder. */
  readonly workflow: string;
  /** Variables that whoever runs it gives besides those that it declares. */
  readonly variables?: readonly string[] | undefined;
  /** Where it is to run; without it, here. */
  readonly platform?: Platform | undefined;
  /** What is to answer its prompts; without it, what can do all. */
  readonly backend?: BackendFacts | undefined;
  /** What can be mended safely is mended in the files, and is found no more. */
  readonly fix?: boolean | undefined;
}

/** What lint has found in a workflow. */
export interface LintReport {
  /** Its path. */
  readonly workflow: string;
  readonly findings: readonly ShownFinding[];
  /** How many were mended. */
  readonly mended: number;
}

/** A finding with the line of its file that it is about; null where that may not be shown, or cannot. */
export interface ShownFinding extends Finding {
  readonly line: string | null;
}

/** How many findings of this severity there are. */
export function countOf(reports: readonly LintReport[], severity: Severity): number {
  return reports.flatMap(({ findings }) => findings).filter((one) => one.severity === severity)
    .length;
}

/**
 * Looks at all states of a workflow without running any. What it finds are
 * values; rejects with a RaymondError where there is no workflow.
 */
export async function lint(
  options: LintOptions,
  caller: Caller = thisProcess(),
): Promise<LintReport> {
  const before = await look(options, caller);
  if (options.fix !== true) return reportOf(before, 0);
  const count = await mend(before);
  return count === 0 ? reportOf(before, 0) : reportOf(await look(options, caller), count);
}

/** What was found, and how the files of the workflow are read and written. */
interface Looked {
  readonly workflow: string;
  readonly findings: readonly Finding[];
  readonly textOf: (file: string) => Promise<string | null>;
  readonly write: ((file: string, text: string) => Promise<void>) | null;
}

async function look(options: LintOptions, caller: Caller): Promise<Looked> {
  const { workflow, variables = [], platform = systemPlatform(), backend = ANY } = options;
  const named = await findSource(workflow, caller, platform).catch((error: unknown) => {
    // A file that holds all states says with its first fault that it holds none.
    if (error instanceof PlacedError) return error;
    throw error;
  });
  if (named instanceof PlacedError) return unreadable(named);
  const { found, source } = named;
  const outline = await readOutline(source, platform, found.entry);
  const manifest = await found.manifest().catch((error: unknown) => {
    if (error instanceof RaymondError) return problemOf(error);
    throw error;
  });
  const findings = lintWorkflow({
    outline,
    workflow: found.path,
    manifest,
    manifestSource: found.manifestPath,
    variables,
    backend,
    workflows: await findOthers(found, pathsIn(outline), platform, caller),
    syntax: await syntaxFaults(outline, await systemSyntax(caller)),
    nearStates: nearStatesOf(found),
    isDocument: (name) => DOCUMENT.test(name),
  });
  const texts = new Map<string, Promise<string | null>>();
  const textOf = (file: string) => {
    const text = texts.get(file) ?? found.read(file);
    texts.set(file, text);
    return text;
  };
  const placed = findings.map(async (one) => pinned(one, (await textOf(one.source)) ?? ""));
  return { workflow: found.path, findings: await Promise.all(placed), textOf, write: found.write };
}

const ANY: BackendFacts = {
  name: "any",
  can: { branch: true, resume: true, effort: true, budget: true, tools: true },
};

/** What lies in folders by custom, and is read by people and by coding agents. */
const DOCUMENT =
  /^(?:README|CLAUDE|AGENTS|GEMINI|CONTRIBUTING|CHANGELOG|LICEN[CS]E|NOTES|TODO)(?:\.\w+)?\.md$/i;

function unreadable(error: PlacedError): Looked {
  const finding: Finding = {
    ...{ rule: "RAY102", severity: "error", source: error.file, ...problemOf(error) },
    ...{ word: null, hidden: false, mend: null },
  };
  const textOf = (file: string) => Promise.resolve(textOfFile(file));
  return { workflow: error.file, findings: [finding], textOf, write: null };
}

async function syntaxFaults(
  { states }: Outline,
  syntax: SyntaxCheck | null,
): Promise<ReadonlyMap<StateName, FileProblem>> {
  const scripts = states.flatMap((state) => {
    return state.ok && state.name.endsWith(".sh") ? [state.file] : [];
  });
  if (syntax === null || scripts.length === 0) return new Map();
  const faults = await syntax.check(scripts.map(({ body }) => body));
  return new Map(
    scripts.flatMap(({ name, bodyLine, bodyColumn }, index) => {
      const fault = faults[index];
      if (fault === null || fault === undefined) return [];
      const at = { line: bodyLine + fault.line - 1, column: bodyColumn };
      const message = `bash cannot parse this: ${fault.message}.`;
      return [[name, { at, message, hint: "Mend the script: bash -n FILE says the same." }]];
    }),
  );
}

async function reportOf(
  { workflow, findings, textOf }: Looked,
  count: number,
): Promise<LintReport> {
  const shown = findings.map(async (finding): Promise<ShownFinding> => {
    const text = finding.hidden ? null : await textOf(finding.source);
    return { ...finding, line: text?.split(/\r?\n/, finding.at.line)[finding.at.line - 1] ?? null };
  });
  return { workflow, findings: await Promise.all(shown), mended: count };
}

/** Writes each file once, with all in it mended that can be. Resolves with how many findings that were. */
async function mend({ workflow, findings, textOf, write }: Looked): Promise<number> {
  const mendable = findings.filter((one) => one.mend !== null);
  if (mendable.length > 0 && write === null) throw new ZipMendError(workflow);
  let count = 0;
  for (const source of new Set(mendable.map((one) => one.source))) {
    const before = await textOf(source);
    if (before === null) continue;
    // From the end, so that what is changed moves no place that is still to come.
    const own = mendable.filter((one) => one.source === source).toReversed();
    let text = before;
    for (const finding of own) {
      const next = mended(finding, text);
      if (next === null || next === text) continue;
      text = next;
      count += 1;
    }
    if (text !== before) await write?.(source, text);
  }
  return count;
}
