import { runSettings } from "../config/switches.ts";
import { type Check, failedBy } from "../inspect/check.ts";
import { isExecutable, programOnPath } from "../process/find-program.ts";
import type { Trusting } from "../run/trust.ts";
import type { Caller } from "../wire/caller.ts";
import { askerOf } from "../wire/client.ts";
import { inherited } from "../wire/engine/inherited.ts";
import { type Place, stateRoot } from "../wire/stores.ts";
import { agentChecks } from "./agents.ts";
import { checkClock } from "./clock.ts";
import { checkConfiguration, type Setting } from "./configuration.ts";
import { checkEnvironment } from "./environment.ts";
import { checkBash, checkNode, checkPlatform } from "./runtime.ts";
import { checkContainer, checkSandbox } from "./sandbox.ts";
import { checkStateFolder } from "./state-folder.ts";
import { checkTrust } from "./trust.ts";

export interface Diagnosis {
  readonly checks: readonly Check[];
  readonly settings: readonly Setting[];
}

export interface DiagnoseOptions extends Place, Trusting {
  /** Called with settings of the project before they are used. */
  readonly announce?: ((message: string) => void) | undefined;
  readonly fleet?: boolean | undefined;
}

/** Checks everything that a run depends on, without cost. */
export async function diagnose(options: DiagnoseOptions, caller: Caller): Promise<Diagnosis> {
  const root = await stateRoot(options, caller).catch(failedBy("runs"));
  const folder = typeof root === "string" ? root : null;
  const { settings, values, sourceOf, checks, clientHidden, granted } = await checkConfiguration(
    folder,
    caller.env,
  );
  const trusts = await checkTrust(options, runSettings(settings), caller);
  const place = {
    ...{ settings, sourceOf, granted, clientHidden },
    trustProject: options.trustProject === true,
    isUntrusted: trusts.untrusted.has("settings"),
    announce: options.announce ?? (() => undefined),
  };
  const asker = await askerOf(null, caller, settings);
  const containerAsker = { ...asker, env: inherited(caller.env) };
  return {
    settings: values,
    checks: [
      checkNode(process.versions.node),
      checkPlatform(process.platform, process.arch),
      checkBash(process.platform, findBash(caller)),
      // In a container, the sandbox needs no other program.
      ...(await checkSandbox(settings.container === null ? settings.sandbox : null, asker)),
      await checkContainer(settings.container, containerAsker),
      ...(await agentChecks(place, caller)),
      ...trusts.checks,
      ...checkEnvironment(settings, caller.env, sourceOf),
      ...checks,
      ...(typeof root === "string" ? await checkStateFolder(root) : [root]),
      checkClock({ wall: caller.now(), monotonic: performance.timeOrigin + performance.now() }),
      ...(options.fleet === true ? await (await import("./fleet.ts")).fleetChecks(caller) : []),
    ],
  };
}

function findBash({ env }: Caller): string | null {
  return isExecutable("/bin/bash") ? "/bin/bash" : programOnPath("bash", env["PATH"]);
}
