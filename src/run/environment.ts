import path from "node:path";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { type StateFile, stateKind } from "../language/workflow/files/state-file.ts";
import {
  type DeclaredEnvironment,
  NO_ENVIRONMENT,
} from "../language/workflow/policy/declared-environment.ts";
import { listed } from "../language/workflow/quote.ts";
import { stepEnvironment, variableFilter } from "../machine/decide/step-environment.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import type { WorkflowSource } from "../scopes/workflow-source.ts";
import { AGENTS } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { inherited } from "../wire/engine/inherited.ts";
import { openSecrets } from "../wire/engine/open-secrets.ts";
import { systemPlatform } from "../wire/system/system.ts";

/** States that are searched for names. */
const MOST_STATES = 200;

/**
 * Notices about the variables of prompt steps, while the user has not set `env_pass`: variables that
 * the workflow or the project mentions but prompts do not receive, and variables that the workflow
 * passes (docs/environment.md, "Messages"). Names only.
 */
export async function environmentNotices(
  { names, load }: Pick<WorkflowSource, "names" | "load">,
  workflow: DeclaredEnvironment,
  settings: RunSettings,
  caller: Pick<Caller, "env" | "cwd">,
): Promise<readonly string[]> {
  if (settings.envPass !== null) return [];
  const env = inherited(caller.env);
  const ignoreCase = systemPlatform() === "windows";
  const ofAgents = AGENTS.flatMap(({ account }) => account.passed(env));
  const isPassedTo = (declared: DeclaredEnvironment) =>
    variableFilter(stepEnvironment("prompt", settings, workflow, declared), ofAgents, ignoreCase);
  const base = variableFilter({ kind: "prompt", pass: [] }, ofAgents, ignoreCase);
  const others = Object.keys(env).filter((name) => !base(name) && !OF_SHELLS.has(name));
  if (others.length === 0) return [];
  const mentioned = new Set<string>();
  const passed = new Set<string>();
  const note = (text: string, declared: DeclaredEnvironment) => {
    const isPassed = isPassedTo(declared);
    const found = namesIn(text);
    for (const name of others) {
      if (isPassed(name)) passed.add(name);
      else if (found.has(name)) mentioned.add(name);
    }
  };
  for (const file of await promptsOf(names, load)) note(file.body, file.env);
  for (const name of new Set(AGENTS.flatMap(({ project }) => project.files))) {
    const text = await readTextFile(path.join(caller.cwd, name), LIMITS.small).catch(() => "");
    if (text !== "") note(text, NO_ENVIRONMENT);
  }
  return [...missingNotice([...mentioned], passed), ...passedNotice([...passed])];
}

function missingNotice(
  mentioned: readonly string[],
  passed: ReadonlySet<string>,
): readonly string[] {
  const missing = mentioned.filter((name) => !passed.has(name));
  if (missing.length === 0) return [];
  const all = `--env-pass ${missing.slice(0, 12).join(",")}`;
  return [
    `Prompt steps do not receive ${listed(missing)}, which the workflow or the project mentions. To pass them: ${all}. To pass every variable, as before: --env-pass inherit`,
  ];
}

function passedNotice(passed: readonly string[]): readonly string[] {
  if (passed.length === 0) return [];
  return [
    `The workflow passes these variables to prompt steps: ${listed(passed)}. To choose them yourself, set env_pass.`,
  ];
}

async function promptsOf(
  names: WorkflowSource["names"],
  load: WorkflowSource["load"],
): Promise<readonly StateFile[]> {
  const prompts = names.filter((name) => stateKind(name) === "prompt").slice(0, MOST_STATES);
  const files = await Promise.all(prompts.map((name) => load(name).catch(() => null)));
  return files.filter((file) => file !== null);
}

/** `$NAME`, `${NAME}`, and words in capitals with an underscore. */
function namesIn(text: string): ReadonlySet<string> {
  const found = text.matchAll(/\$\{?([A-Za-z_]\w*)|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/g);
  return new Set([...found].map(([, reference, word]) => reference ?? word ?? ""));
}

/** Variables that each shell sets itself. */
const OF_SHELLS: ReadonlySet<string> = new Set(["_", "SHLVL", "OLDPWD", "PS1", "PS2"]);

/** The input and the attributes of a new run, which are saved, without the values of secrets. */
export function withoutSecrets(
  input: string | null,
  attributes: Readonly<Record<string, string>>,
  settings: RunSettings,
  ofWorkflow: readonly string[],
  caller: Pick<Caller, "env">,
): {
  readonly input: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
} {
  const secrets = openSecrets(settings, caller);
  secrets.declare(ofWorkflow);
  const clean = {
    input: input === null ? null : secrets.text(input),
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, secrets.text(value)]),
    ),
  };
  if (JSON.stringify(clean) === JSON.stringify({ input, attributes }))
    return { input, attributes, warnings: [] };
  const warning =
    "The input or a variable of the run contains the value of a secret, which was replaced by its name. Read the secret from the environment instead.";
  return { ...clean, warnings: [warning] };
}
