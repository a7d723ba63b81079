import type { Executor } from "../../engine/ports/executor.ts";
import type { StepRecorder } from "../../engine/ports/step-events.ts";
import { CREDENTIALS } from "../../language/workflow/policy/base-variables.ts";
import type { RunSettings } from "../../machine/run-state.ts";
import { Secrets } from "../../process/secrets/secrets.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "../system/system.ts";
import { clientEnvironment, inherited, type Prompting } from "./inherited.ts";

/**
 * The secrets of a run: those of its settings and the credentials of the client, with the values
 * that they have now, for scripts and for clients.
 */
export function openSecrets(
  { envSecret }: Pick<RunSettings, "envSecret">,
  caller: Pick<Caller, "env">,
  warn: (message: string) => void,
  prompting?: Prompting,
): Secrets {
  const environments = [caller.env, clientEnvironment(caller, prompting)];
  const secrets = new Secrets({
    environments: [...new Set(environments)].map(inherited),
    ignoreCase: systemPlatform() === "windows",
    warn,
  });
  secrets.declare(envSecret);
  secrets.declare(CREDENTIALS, false);
  return secrets;
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
