import { applyFix, type Finding, locateWord, type Severity } from "../analysis/lint/finding.ts";
import { isIgnored } from "../analysis/lint/ignored-rules.ts";
import type { LintedSchema, LintedSchemas } from "../analysis/lint/lint-context.ts";
import { lintWorkflow } from "../analysis/lint/lint-workflow.ts";
import { scriptCommand } from "../engine/executors/script-command.ts";
import type { SyntaxCheck } from "../engine/ports/syntax.ts";
import { readOutline } from "../inspect/outline.ts";
import { DEFAULT_AGENT } from "../language/basics/default-agent.ts";
import { onUserError } from "../language/basics/errors.ts";
import { type Outline, pathsIn } from "../language/outline/outline.ts";
import { problemOf, problemsOf } from "../language/outline/outline-state.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { PlacedError } from "../language/workflow/errors.ts";
import type {
  ResolvedWorkflow,
  ResolvedWorkflows,
} from "../language/workflow/files/found-workflow.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import type { FileProblem } from "../language/workflow/files/state-file.ts";
import { namedSchemas } from "../language/workflow/named-schemas.ts";
import { ALL_CAPABILITIES, type BackendFacts } from "../machine/backends/backend-facts.ts";
import { isFixed } from "../machine/decide/permissions.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { shellSyntax } from "../process/shell-syntax.ts";
import type { WorkflowSource } from "../scopes/workflow-source.ts";
import { AGENTS } from "../wire/agents/agents.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { openOthers } from "../wire/engine/other-workflows.ts";
import { readSettings } from "../wire/settings.ts";
import { stateRoot } from "../wire/stores.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { findSource, nearStatesOf, textOfFile } from "../wire/workflow.ts";
import { authorErrors } from "./errors.ts";

export interface LintOptions {
  /** A folder, a zip, a file with states, or a state of a folder. */
  readonly workflow: string;
  /** Variables that the caller of the workflow sets, in addition to the declared ones. */
  readonly variables?: readonly string[] | undefined;
  /** Default: this platform. */
  readonly platform?: Platform | undefined;
  /** Default: a backend with all features. */
  readonly backend?: BackendFacts | undefined;
  /** Default: all coding agents of this raymond. */
  readonly agents?: readonly BackendFacts[] | undefined;
  /** Fix safe problems in the files. Fixed problems are not reported. */
  readonly fix?: boolean | undefined;
}

export interface LintReport {
  readonly workflow: string;
  readonly findings: readonly ShownFinding[];
  readonly fixed: number;
}

/** With the source line of the finding; null if it is hidden or unreadable. */
export interface ShownFinding extends Finding {
  readonly line: string | null;
}

export function countOf(reports: readonly LintReport[], severity: Severity): number {
  return reports.flatMap(({ findings }) => findings).filter((one) => one.severity === severity)
    .length;
}

/**
 * Checks all states of a workflow without running any. Rejects with a RaymondError if there is no
 * workflow.
 */
export async function lint(
  options: LintOptions,
  caller: Caller = thisProcess(),
): Promise<LintReport> {
  const before = await check(options, caller);
  if (options.fix !== true) return reportOf(before, 0);
  const count = await fixAll(before);
  return count === 0 ? reportOf(before, 0) : reportOf(await check(options, caller), count);
}

interface CheckedWorkflow {
  readonly workflow: string;
  readonly findings: readonly Finding[];
  readonly textOf: (file: string) => Promise<string | null>;
  readonly write: ((file: string, text: string) => Promise<void>) | null;
}

async function check(options: LintOptions, caller: Caller): Promise<CheckedWorkflow> {
  const { workflow, variables = [], platform = systemPlatform() } = options;
  const { backend = ANY, agents = AGENTS } = options;
  const named = await findSource(workflow, caller, platform).catch((error: unknown) => {
    // A single file with a fault has no readable states.
    if (error instanceof PlacedError) return error;
    throw error;
  });
  if (named instanceof PlacedError) return unreadable(named);
  const { found, source } = named;
  const outline = await readOutline(source, platform, found.entry);
  const manifest = await found.manifest().catch(
    onUserError((error) => {
      const [first, ...further] = problemsOf(error);
      return { ...first, further };
    }),
  );
  const settings = await userSettings(caller);
  const findings = lintWorkflow({
    outline,
    workflow: found.path,
    manifest,
    manifestSource: found.manifestPath,
    variables,
    backend,
    agents: { known: agents, usual: settings?.agents ?? [DEFAULT_AGENT] },
    user: settings !== null && isFixed(settings) ? settings : null,
    workflows: await otherWorkflows(found, pathsIn(outline), platform, caller),
    syntax: await syntaxFaults(outline, await systemSyntax(caller)),
    lookalikes: nearStatesOf(found),
    schemas: await lintedSchemas(found, outline),
    isDocument: (name) => DOCUMENT.test(name),
  });
  const texts = new Map<string, Promise<string | null>>();
  const textOf = (file: string) => {
    const text = texts.get(file) ?? found.read(file);
    texts.set(file, text);
    return text;
  };
  const ignored = "message" in manifest ? [] : manifest.lintIgnore;
  const placed = findings.map(async (one) => {
    const text = (await textOf(one.source)) ?? "";
    return isIgnored(one, text, ignored) ? [] : locateWord(one, text);
  });
  const shown = (await Promise.all(placed)).flat();
  return { workflow: found.path, findings: shown, textOf, write: found.write };
}

/** The settings of the project; null if they are invalid, which each run reports. */
async function userSettings(caller: Caller): Promise<RunSettings | null> {
  const read = stateRoot({}, caller).then((root) => readSettings({}, root, caller));
  return read.then(({ settings }) => settings).catch(onUserError(() => null));
}

async function otherWorkflows(
  found: WorkflowSource,
  paths: readonly string[],
  platform: Platform,
  caller: Caller,
): Promise<ResolvedWorkflows> {
  const resolved = new Map<string, ResolvedWorkflow>();
  if (paths.length === 0) return resolved;
  const library = await openOthers(found, platform, caller);
  for (const each of paths) resolved.set(each, await library.find(null, each));
  return resolved;
}

async function lintedSchemas(
  { schemas: names, schema, pathOf: source }: WorkflowSource,
  { states }: Outline,
): Promise<LintedSchemas> {
  const files = states.flatMap((state) => (state.ok ? [state.file] : []));
  const wanted = new Set(files.flatMap(namedSchemas).map(({ name }) => name));
  const named = new Map<string, LintedSchema>();
  for (const name of names.filter((one) => wanted.has(one))) {
    const invalid = onUserError((error) => ({ problem: problemOf(error) }));
    named.set(name, await schema(name).catch(invalid));
  }
  return { names, named, source };
}

const ANY: BackendFacts = { name: "any", can: ALL_CAPABILITIES };

/** Files that are common in folders, for people and coding agents. They are not states. */
const DOCUMENT =
  /^(?:README|CLAUDE|AGENTS|GEMINI|CONTRIBUTING|CHANGELOG|LICEN[CS]E|NOTES|TODO)(?:\.\w+)?\.md$/i;

function unreadable(error: PlacedError): CheckedWorkflow {
  const findings = problemsOf(error).map(
    (problem): Finding => ({
      ...{ rule: "RAY102", severity: "error", source: error.file, ...problem },
      ...{ word: null, hidden: false, fix: null },
    }),
  );
  const textOf = (file: string) => Promise.resolve(textOfFile(file));
  return { workflow: error.file, findings, textOf, write: null };
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
      return [[name, { at, message, hint: "Fix the script. To check it: bash -n FILE" }]];
    }),
  );
}

async function reportOf(
  { workflow, findings, textOf }: CheckedWorkflow,
  count: number,
): Promise<LintReport> {
  const shown = findings.map(async (finding): Promise<ShownFinding> => {
    const text = finding.hidden ? null : await textOf(finding.source);
    return { ...finding, line: text?.split(/\r?\n/, finding.at.line)[finding.at.line - 1] ?? null };
  });
  return { workflow, findings: await Promise.all(shown), fixed: count };
}

/** Writes each file once, with all its fixes. Returns the number of fixed problems. */
async function fixAll({ workflow, findings, textOf, write }: CheckedWorkflow): Promise<number> {
  const fixable = findings.filter((one) => one.fix !== null);
  if (fixable.length > 0 && write === null) throw authorErrors["lint/zip"](workflow);
  let count = 0;
  for (const source of new Set(fixable.map((one) => one.source))) {
    const before = await textOf(source);
    if (before === null) continue;
    // From the end, so that a fix does not move the next one.
    const own = fixable.filter((one) => one.source === source).toReversed();
    let text = before;
    for (const finding of own) {
      const next = applyFix(finding, text);
      if (next === null || next === text) continue;
      text = next;
      count += 1;
    }
    if (text !== before) await write?.(source, text);
  }
  return count;
}

/** The parser for shell scripts on this platform; null without one. */
export async function systemSyntax(caller: Pick<Caller, "system">): Promise<SyntaxCheck | null> {
  if (systemPlatform() === "windows") return null;
  const { command } = scriptCommand("", "unix");
  return shellSyntax(command, (await caller.system()).processes.start);
}
