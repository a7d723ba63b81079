import { changedDefaults } from "../config/merge.ts";
import { runSettings } from "../config/switches.ts";
import { type Check, failure } from "../inspect/check.ts";
import { usualAgent } from "../language/basics/default-agent.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { findProgram, isExecutable } from "../process/find-program.ts";
import { type Trusting, untrusted } from "../run/trust.ts";
import { agentNamed } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { askerOf, namedClient } from "../wire/client.ts";
import { isContainer, machineFacts } from "../wire/container.ts";
import { inherited } from "../wire/engine/inherited.ts";
import { type Place, stateRoot } from "../wire/stores.ts";
import { projectSettings } from "../wire/trust/client-project.ts";
import { clientChecks, perhapsAnother, untrustedClient } from "./client.ts";
import { checkClock } from "./clock.ts";
import { checkConfiguration, type Setting } from "./configuration.ts";
import { checkContainer } from "./container.ts";
import { checkEnvironment } from "./environment.ts";
import { checkPermissions, checkUser } from "./permissions.ts";
import { checkBash, checkNode, checkPlatform } from "./runtime.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkStateFolder } from "./state-folder.ts";
import { checkTrust } from "./trust.ts";

export interface Diagnosis {
  readonly checks: readonly Check[];
  readonly settings: readonly Setting[];
}

export interface DiagnoseOptions extends Place, Trusting {
  /** Called with settings of the project before they are used. */
  readonly announce?: ((message: string) => void) | undefined;
  /** Also check the fleet. */
  readonly fleet?: boolean | undefined;
}

/** Checks everything that a run depends on, without cost. */
export async function diagnose(place: DiagnoseOptions, caller: Caller): Promise<Diagnosis> {
  const root = await stateRoot(place, caller).catch((error: unknown) => {
    if (error instanceof RaymondError) return failure("runs", error.message, error.hint ?? "");
    throw error;
  });
  const folder = typeof root === "string" ? root : null;
  const { settings, values, sourceOf, checks, clientHidden, granted } = await checkConfiguration(
    folder,
    caller.env,
  );
  const agent = agentNamed(usualAgent(settings));
  const standing = {
    agent,
    root: process.getuid?.() === 0,
    sandbox: caller.env["IS_SANDBOX"] === "1",
    contained: isContainer(await machineFacts(caller.env)),
    settings,
    sourceOf,
  };
  const asker = await askerOf(caller, settings);
  const containerAsker = { ...asker, env: inherited(caller.env) };
  const ownClient = changedDefaults({ clients: settings.clients });
  const [named] = ownClient.filter(({ text }) => granted?.statements.includes(text) === true);
  const config =
    granted === null || granted.statements.length === 0 || folder === null
      ? null
      : await untrusted({ ...granted, root: folder }, caller);
  const refused = named !== undefined && place.trustProject !== true && config !== null;
  if (named !== undefined && !refused) {
    place.announce?.(`${named.text} comes from ${sourceOf("clients")}.`);
  }
  const client = refused
    ? [untrustedClient(agent.name, named.text, sourceOf("clients"))]
    : await clientChecks(agent, namedClient(agent, settings), asker);
  return {
    settings: values,
    checks: [
      checkNode(process.versions.node),
      checkPlatform(process.platform, process.arch),
      checkBash(process.platform, findBash(caller)),
      // In a container, the sandbox needs no other program.
      ...(await checkSandbox(settings.container === null ? settings.sandbox : null, asker)),
      await checkContainer(settings.container, containerAsker),
      ...(clientHidden ? client.map(perhapsAnother) : client),
      checkUser(standing),
      checkPermissions(standing),
      ...checkTrust({
        ...{ config, given: place.trustProject === true, agent: agent.name },
        client: await projectSettings(agent, caller.cwd, runSettings(settings), caller),
      }),
      ...checkEnvironment(settings, caller.env, sourceOf),
      ...checks,
      ...(typeof root === "string" ? await checkStateFolder(root) : [root]),
      checkClock({ wall: caller.now(), monotonic: performance.timeOrigin + performance.now() }),
      ...(place.fleet === true ? await (await import("./fleet.ts")).fleetChecks(caller) : []),
    ],
  };
}

function findBash({ env }: Caller): string | null {
  return isExecutable("/bin/bash") ? "/bin/bash" : findProgram("bash", env["PATH"]);
}
