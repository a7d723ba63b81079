import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { RaymondError } from "../../core/errors.ts";
import { printable } from "../../observers/printable.ts";
import { isContainer, machineFacts } from "../../runs/container.ts";
import { inherited } from "../../runs/wire/inherited.ts";
import { stateRoot } from "../../runs/wire/stores.ts";
import { type Check, failure } from "../doctor/check.ts";
import { checkClient, perhapsAnother } from "../doctor/client.ts";
import { checkClock } from "../doctor/clock.ts";
import { checkConfiguration, type Setting } from "../doctor/configuration.ts";
import { checkPermissions, checkUser } from "../doctor/permissions.ts";
import { checkBash, checkNode, checkPlatform } from "../doctor/runtime.ts";
import { checkStateFolder } from "../doctor/state-folder.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";
import { VERSION } from "../version.ts";

interface DoctorOptions {
  readonly json?: true;
  readonly stateDir?: string;
}

/** What the machine looks like to a run that would be started here now. */
interface Diagnosis {
  readonly checks: readonly Check[];
  readonly settings: readonly Setting[];
}

/**
 * `raymond doctor`: looks at everything that a run depends on, and spends
 * nothing. Returns 1 when a run would fail.
 */
export async function doctorCommand(options: DoctorOptions, shell: Shell): Promise<ExitCode> {
  const { checks, settings } = await diagnose(options, shell);
  const fails = checks.some(({ level }) => level === "fail");
  if (options.json === true) {
    shell.out.line(JSON.stringify({ ok: !fails, version: VERSION, checks, settings }, null, 2));
  } else {
    for (const check of checks) shell.out.line(formatCheck(check));
  }
  return fails ? EXIT.failed : EXIT.completed;
}

async function diagnose({ stateDir }: DoctorOptions, shell: Shell): Promise<Diagnosis> {
  const root = await stateRoot({ stateDir }, shell).catch((error: unknown) => {
    if (error instanceof RaymondError) return failure("runs", error.message, error.hint ?? "");
    throw error;
  });
  const folder = typeof root === "string" ? root : null;
  const { settings, values, sourceOf, checks, clientHidden } = await checkConfiguration(
    folder,
    shell.env,
  );
  const standing = {
    root: process.getuid?.() === 0,
    sandbox: shell.env["IS_SANDBOX"] === "1",
    contained: isContainer(await machineFacts(shell.env)),
    settings,
    sourceOf,
  };
  const env = inherited(shell.env);
  const client = await checkClient(settings.client, env, shell.cwd);
  return {
    settings: values,
    checks: [
      checkNode(process.versions.node),
      checkPlatform(process.platform, process.arch),
      checkBash(process.platform, await findBash(shell)),
      ...(clientHidden ? client.map(perhapsAnother) : client),
      checkUser(standing),
      checkPermissions(standing),
      ...checks,
      ...(typeof root === "string" ? await checkStateFolder(root) : [root]),
      checkClock({ wall: shell.now(), monotonic: performance.timeOrigin + performance.now() }),
    ],
  };
}

/** Where scripts find bash; null where they do not. */
async function findBash({ env }: Shell): Promise<string | null> {
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  for (const file of ["/bin/bash", ...folders.map((folder) => path.join(folder, "bash"))]) {
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return null;
}

/** One line: how it is, what was found, and what to do. */
export function formatCheck({ level, name, message, hint }: Check): string {
  const word = level === "fail" ? "FAIL" : level;
  const text = hint === null ? message : `${message} ${hint}`;
  return printable(`${word.padEnd(4)}  ${name.padEnd(NAME_WIDTH)}  ${text.replaceAll("\n", " ")}`);
}

const NAME_WIDTH = 11;
