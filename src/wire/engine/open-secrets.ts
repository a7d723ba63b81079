import type { Executor } from "../../engine/ports/executor.ts";
import type { StepRecorder } from "../../engine/ports/step-events.ts";
import type { Workflows } from "../../engine/ports/workflows.ts";
import { NO_ENVIRONMENT } from "../../language/workflow/policy/declared-environment.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import { Secrets } from "../../process/secrets/secrets.ts";
import { AGENTS } from "../agents/agents.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "../system/system.ts";
import { clientEnvironment, inherited, type Prompting } from "./inherited.ts";

/**
 * The secrets of a run: those of its settings and the credentials of all clients, with the values
 * that they have now, for scripts and for clients.
 */
export function openSecrets(
  { envSecret }: Pick<RunSettings, "envSecret">,
  caller: Pick<Caller, "env">,
  warn: (message: string) => void = () => undefined,
  prompting?: Prompting,
): Secrets {
  const environments = [caller.env, clientEnvironment(caller, prompting)];
  const secrets = new Secrets({
    environments: [...new Set(environments)].map(inherited),
    ignoreCase: systemPlatform() === "windows",
    warn,
  });
  secrets.declare(envSecret);
  const credentials = AGENTS.flatMap(({ account }) => account.credentials);
  secrets.declare([...new Set(credentials)], false);
  return secrets;
}

/**
 * Adds the secrets of the started workflow and, for a run that has started before, of its states: a
 * resume copies conversations before its first step. The step reports a file that cannot be read.
 */
export async function declareAll(
  secrets: Secrets,
  workflows: Pick<Workflows, "environment" | "scope">,
  startedBy: "here" | "before",
): Promise<void> {
  const { secret } = await workflows.environment(null).catch(() => NO_ENVIRONMENT);
  secrets.declare(secret);
  if (startedBy === "here") return;
  const scope = workflows.scope(null);
  for (const name of await scope.names().catch(() => [])) {
    const file = await scope.load(name).catch(() => null);
    if (file !== null) secrets.declare(file.env.secret);
  }
}

/**
 * An executor whose steps add the secrets of their state and workflow. Tags are redacted again: only
 * the scanner decodes entities in attributes.
 */
export function declaring(secrets: Secrets, executor: Executor): Executor {
  return {
    execute: async (step, cancellation, listener, recorder) => {
      secrets.declare(step.environment.secret);
      const outcome = await executor.execute(step, cancellation, listener, recorder);
      if (outcome.kind !== "output" || secrets.isEmpty) return outcome;
      const elements = outcome.reading.elements.map((element) => ({
        ...element,
        content: secrets.text(element.content),
        attributes: element.attributes.map(([name, value]) => [name, secrets.text(value)] as const),
      }));
      return { ...outcome, reading: { ...outcome.reading, elements } };
    },
  };
}

/** A prompt can contain what a person passed to the run. */
export function redacted(recorder: StepRecorder, secrets: Secrets): StepRecorder {
  return {
    ...recorder,
    prompt: (text) => {
      recorder.prompt(secrets.text(text));
    },
  };
}
