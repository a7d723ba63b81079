import { isBelow } from "../../files/paths.ts";
import { SANDBOX_ON } from "../../language/workflow/policy/sandbox.ts";
import { listed } from "../../language/workflow/quote.ts";
import type { Step } from "../../machine/decide/step.ts";
import type { Failure } from "../../machine/model/failure.ts";
import { programOnPath } from "../../process/find-program.ts";
import {
  CONTAINER_PROGRAMS,
  type ContainerCall,
  type ContainerProgram,
  containerArgs,
  containerInput,
  containerName,
} from "../../process/sandbox/container-args.ts";
import type { ProcessCall, UnixUser } from "../ports/process.ts";
import { containedEnvironment, type Environment } from "./environment.ts";
import { refused } from "./sandbox.ts";
import { existing, gitPrograms, limitsOf, realPath } from "./sandbox-paths.ts";

export interface ContainerScene {
  /** The inherited environment. */
  readonly inherited: Environment;
  /** The variables that raymond adds for the step. */
  readonly added: Environment;
  /** The user that a worker starts steps as; null: that of raymond. */
  readonly stepUser: UnixUser | null;
}

/** The image that a script runs in; null for none. */
export function imageOf({ file, settings }: Step): string | null {
  return settings.container ?? (file.kind === "script" ? file.container : null);
}

type Contained =
  | { readonly ok: true; readonly call: ContainedCall }
  | { readonly ok: false; readonly failure: Failure };

/** A call of podman or docker that runs a script. */
export interface ContainedCall
  extends Required<Pick<ProcessCall, "command" | "args" | "env" | "input" | "container">> {
  readonly image: string;
  readonly name: string;
}

/**
 * The call that runs a script in a container (docs/containers.md, "Containers"). What podman and
 * docker cannot do is a failure: the script never runs outside.
 *
 * I1  podman or docker run with the environment of raymond. Variables of the workflow reach only
 *     the container: they could make the program obey another configuration.
 * I2  If the user has set `container`, a state has no influence on the image, and the container
 *     sees no folders but those that the user's sandbox names, by default the launch folder.
 */
export function contained(step: Step, image: string, scene: ContainerScene): Contained {
  const fails = (why: string, hint: string): Contained => refused(step, why, hint);
  const { inherited, added, stepUser } = scene;
  const user = thisUser();
  const users = step.settings.container;
  const own = step.file.kind === "script" ? step.file.container : null;
  if (users !== null && own !== null && own !== users) {
    return fails(
      `it asks for the container ${own}, but your setting container is ${users}.`,
      `Set container to ${own}, or to none: then each script runs in the container that it names.`,
    );
  }
  if (user === null || step.platform === "windows") {
    return fails(
      "containers for scripts work only on Linux and macOS.",
      "Remove container from the settings and from the state.",
    );
  }
  if (stepUser !== null) {
    return fails(
      "containers do not work on a worker with --step-user.",
      "Start a worker without --step-user for this run, or remove container.",
    );
  }
  const found = findContainerProgram(inherited["PATH"]);
  if (found === null) {
    return fails(
      `its container ${image} needs podman or docker, and neither is on PATH.`,
      "Install one of them (Debian, Ubuntu: apt install podman), or remove container from the settings and from the state.",
    );
  }
  const paths = pathsOf(step, added);
  if (!paths.ok) return fails(paths.problem, paths.hint);
  const { program, path: command } = found;
  const name = containerName(step.token);
  const ofStep = Object.entries(added).filter(([each]) => each.startsWith("RAYMOND_"));
  const variables = containedEnvironment(step.environment, inherited);
  const { mounted, network, script } = paths;
  return {
    ok: true,
    call: {
      command,
      args: containerArgs({ program, name, image, user, network, script, paths: mounted }),
      env: { ...inherited, ...Object.fromEntries(ofStep) },
      input: containerInput({ ...variables, ...added, ...paths.variables }),
      container: program,
      ...{ image, name },
    },
  };
}

/** The preferred one of the programs on PATH. */
export function findContainerProgram(
  searchPath: string | undefined,
): { readonly program: ContainerProgram; readonly path: string } | null {
  for (const program of CONTAINER_PROGRAMS) {
    const path = programOnPath(program, searchPath);
    if (path !== null) return { program, path };
  }
  return null;
}

type Paths =
  | {
      readonly ok: true;
      readonly mounted: ContainerCall["paths"];
      readonly network: boolean;
      readonly script: string;
      /** Variables that contain paths. */
      readonly variables: Environment;
    }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/** All paths have their links resolved: links outside of the mounted folders do not exist inside. */
function pathsOf(step: Step, added: Environment): Paths {
  const { settings, launchDir } = step;
  const isUsers = settings.container !== null;
  const users = settings.sandbox ?? (isUsers ? { write: [launchDir], network: true } : null);
  const limits = limitsOf(step, step.file.sandbox ?? (users === null ? SANDBOX_ON : null), users);
  if (!limits.ok) return limits;
  const cwd = realPath(step.cwd) ?? step.cwd;
  const visible = existing([launchDir, ...(users?.write ?? [])]);
  if (isUsers && !visible.some((folder) => isBelow(folder, cwd))) {
    return {
      ok: false,
      problem: `its working folder ${step.cwd} is outside of ${listed(visible)}, which your setting container limits it to.`,
      hint: `Add the folder to your setting sandbox: write:${step.cwd}`,
    };
  }
  const variables = Object.fromEntries(
    Object.entries(added).flatMap(([name, path]) =>
      PATH_VARIABLES.includes(name) ? [[name, realPath(path) ?? path]] : [],
    ),
  );
  const { writable, network } = limits.sandbox;
  const script = realPath(step.path) ?? step.path;
  const readable = existing([step.scopeDir, script, ...Object.values(variables)]);
  const kept = existing([...step.deniedPaths, ...gitPrograms(writable)]);
  return {
    ...{ ok: true, network, script, variables },
    mounted: { cwd, readable, writable, protected: kept },
  };
}

const PATH_VARIABLES: readonly string[] = [
  ...["RAYMOND_STATE_DIR", "RAYMOND_STATE_FILE", "RAYMOND_RESULT_FILE", "RAYMOND_INPUT_FILE"],
];

function thisUser(): UnixUser | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? null : { uid, gid };
}
