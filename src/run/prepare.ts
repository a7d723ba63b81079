import { checkSettings } from "../config/check-settings.ts";
import type { Settings } from "../config/switches.ts";
import { SIMULATION } from "../engine/ports/backend.ts";
import { lookAhead } from "../inspect/history/look-ahead.ts";
import { usualAgent } from "../language/basics/default-agent.ts";
import {
  attributeNameProblem,
  attributeValueProblem,
} from "../language/protocol/scan/attributes.ts";
import type { DeclaredWorktree } from "../language/workflow/policy/worktree.ts";
import { payloadValues } from "../machine/decide/step-values.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { agentsOfStates } from "../wire/agents/upcoming.ts";
import { requireAgents } from "../wire/backends.ts";
import type { Caller } from "../wire/caller.ts";
import type { Checked, Upcoming } from "../wire/client.ts";
import {
  manifestWarnings,
  requireInput,
  workflowSettings,
  workflowVariables,
} from "../wire/manifest.ts";
import { readSettings } from "../wire/settings.ts";
import {
  checkFirstPrompt,
  type Opened,
  openWorkflow,
  simulationOf,
  sourceOf,
} from "../wire/workflow.ts";
import { environmentNotices, withoutSecrets } from "./environment.ts";
import { runErrors } from "./errors.ts";
import { projectTrust, requireTrust, settingsSubject, type Trusting } from "./trust.ts";

/** A new run, on this machine or in a fleet. */
export interface WantedRun extends Trusting {
  /** A folder, a zip archive, or a state file in a folder. */
  readonly workflow: string;
  /** First state of a folder or zip (default: its entry). */
  readonly start?: string | undefined;
  /** The pending result of the first state. A function is called after all checks. */
  readonly input?: string | (() => Promise<string>) | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** Replace environment, configuration and defaults. */
  readonly settings?: Partial<Settings> | undefined;
  /** Use the scenario of the workflow instead of a model (docs/simulation.md). */
  readonly simulate?: boolean | undefined;
  /** Default: a generated id. */
  readonly id?: string | undefined;
}

/** A new run that has passed all checks. */
export interface PreparedRun {
  readonly located: Opened["located"];
  readonly settings: RunSettings;
  /** The user or the workflow chose the steps with snapshots. */
  readonly requestsSnapshots: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly input: string | null;
  readonly backend: string;
  readonly simulation: Awaited<ReturnType<typeof simulationOf>> | null;
  readonly checked: Checked;
  readonly worktree: DeclaredWorktree;
  readonly warnings: readonly string[];
}

/**
 * Reads the workflow and the settings of a new run. `check` tests whether prompts can be answered.
 * Rejects with a RaymondError for any problem. Writes nothing.
 */
export async function prepareRun(
  wanted: WantedRun,
  root: string,
  caller: Caller,
  check: (backend: string, upcoming: Upcoming, caller: Caller) => Promise<Checked>,
): Promise<PreparedRun> {
  checkSettings(wanted.settings ?? {});
  checkAttributes(wanted.attributes ?? {});
  const opened = await openWorkflow(wanted.workflow, wanted.start ?? null, caller);
  const { located, manifest } = opened;
  const { states, warning: ahead } = await lookAhead(
    sourceOf(located),
    located.entry,
    wanted.workflow,
  );
  const { settings, requestsSnapshots, warnings, notices, granted } = await readSettings(
    wanted.settings ?? {},
    root,
    caller,
    workflowSettings(manifest),
  );
  if (granted !== null) await requireTrust(settingsSubject(granted), wanted, caller);
  const variables = workflowVariables(manifest, wanted.attributes ?? {}, located);
  requireInput(manifest, wanted.input, located);
  const simulation = wanted.simulate === true ? await simulationOf(located) : null;
  requireAgents(settings);
  const backend = simulation === null ? usualAgent(settings) : SIMULATION;
  const upcoming = {
    settings,
    agents: agentsOfStates(states, located.names, located.entry, { backend, settings }),
    project: projectTrust(caller.cwd, wanted),
  };
  const checked = await check(backend, upcoming, caller);
  const environment = upcoming.agents.length > 0;
  const given = (typeof wanted.input === "function" ? await wanted.input() : wanted.input) ?? null;
  const redacted = withoutSecrets(given, variables, settings, manifest.env.secret, caller);
  const { input, attributes } = redacted;
  checkFirstPrompt(opened, { ...attributes, ...payloadValues(input) });
  return {
    ...{ located, settings, attributes, input, backend, simulation, checked },
    ...{ requestsSnapshots },
    worktree: manifest.worktree,
    warnings: [
      ...warnings,
      ...manifestWarnings(manifest, located.manifestPath),
      ...(ahead === null ? [] : [ahead]),
      ...notices,
      ...(environment ? await environmentNotices(located, manifest.env, settings, caller) : []),
      ...redacted.warnings,
      ...checked.warnings,
    ],
  };
}

/** The rules for attributes of a fork apply (docs/protocol.md, "Reserved attribute names"). */
function checkAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const problem = attributeNameProblem(name) ?? attributeValueProblem(value);
    if (problem !== null) throw runErrors["cli/bad-variable"](`${name}=${value}`, problem);
  }
}
