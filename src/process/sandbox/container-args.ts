import { createHash } from "node:crypto";
import type { UnixUser } from "../../engine/ports/process.ts";
import { isBelow } from "../../files/paths.ts";
import type { SandboxPaths } from "./bubblewrap.ts";

/** Programs that run containers, the preferred one first. Podman needs neither a daemon nor root. */
export const CONTAINER_PROGRAMS = ["podman", "docker"] as const;
export type ContainerProgram = (typeof CONTAINER_PROGRAMS)[number];

export interface ContainerCall {
  readonly program: ContainerProgram;
  /** From {@link containerName}. */
  readonly name: string;
  readonly image: string;
  /** The user of raymond. */
  readonly user: UnixUser;
  readonly network: boolean;
  readonly paths: Omit<SandboxPaths, "hidden" | "masked">;
  readonly script: string;
}

/**
 * The arguments of podman or docker (docs/containers.md, "Containers"). They contain no values of
 * variables: {@link containerInput} passes these. The container has no rights beyond those of the
 * user: no capabilities, no other user id, and no files but its image and the mounted paths.
 */
export function containerArgs(call: ContainerCall): readonly string[] {
  const { program, name, image, user, network, paths, script } = call;
  const mounts = mountsOf(paths);
  const isTmpMounted = mounts.some(({ path }) => path === "/tmp");
  const keepsUser = program === "podman" && user.uid !== 0;
  return [
    ...["run", "--rm", "--interactive", `--name=${name}`],
    // Names of images come from workflows, so nothing is downloaded.
    "--pull=never",
    // The output of scripts must not stay in the log of the machine.
    "--log-driver=none",
    "--no-healthcheck",
    `--workdir=${paths.cwd}`,
    `--user=${String(user.uid)}:${String(user.gid)}`,
    // Else rootless podman maps the user to another one.
    ...(keepsUser ? ["--userns=keep-id"] : []),
    ...["--cap-drop=ALL", "--security-opt=no-new-privileges"],
    // SELinux would deny access to the mounted paths, or they would have to be relabelled.
    "--security-opt=label=disable",
    ...(network ? [] : ["--network=none"]),
    ...(isTmpMounted ? [] : ["--tmpfs=/tmp:rw,exec,nosuid,nodev,mode=1777"]),
    ...mounts.map(mountFlag),
    ...["--entrypoint=bash", image, "-c", FIRST_PROCESS, name, script],
  ];
}

/** The name of a container. It does not show the token of its step, which is secret. */
export function containerName(stepToken: string): string {
  return `raymond-${createHash("sha256").update(stepToken).digest("hex").slice(0, 24)}`;
}

/** The first process writes these to standard error, with the name of its container. */
export const STARTED = " started\n";
/** With the exit code of the script: not every server reports it to the program. */
export const ENDED = / ended (\d{1,3})\n/;

/** The standard input of a container: its variables, and an empty one as the end. */
export function containerInput(env: Readonly<Record<string, string>>): string {
  return `${Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join("")}\0`;
}

/**
 * The first process of a container. It reads the variables; an incomplete list means that raymond
 * has ended. It reports the start and the end of the script. It passes signals to all processes of the container, because the
 * kernel ignores them for a first process without handlers, and reaps processes. When it ends, the
 * kernel ends the others.
 */
const FIRST_PROCESS = `until IFS= read -r -d '' _raymond && [ -z "$_raymond" ]; do
  [ -n "$_raymond" ] || exit 125
  export -- "$_raymond"
done 2>/dev/null
printf '%s started\\n' "$0" >&2
set -m
"$BASH" "$1" </dev/null &
exec 3>&2 >/dev/null 2>&1
trap 'kill -s INT -- -1' INT
trap 'kill -s TERM -- -1' TERM
while kill -0 $!; do wait $!; done
wait $!
code=$?
printf '%s ended %s\\n' "$0" "$code" >&3
exit "$code"`;

interface Mount {
  readonly path: string;
  readonly writable: boolean;
}

/**
 * Each path keeps its name in the container. Programs mount parents before children, so a deeper
 * mount wins. Paths that another mount contains in the right mode need none of their own.
 */
export function mountsOf(paths: ContainerCall["paths"]): readonly Mount[] {
  const isKept = (path: string) => paths.protected.some((kept) => isBelow(kept, path));
  const writable = new Set(paths.writable.filter((path) => !isKept(path)));
  const isWritable = (path: string) => [...writable].some((each) => isBelow(each, path));
  const kept = paths.protected.filter(isWritable);
  const wanted = [paths.cwd, ...paths.readable, ...paths.writable.filter(isKept)];
  const readable = new Set([
    ...kept,
    ...wanted.filter(
      (path) => !isWritable(path) && !wanted.some((each) => each !== path && isBelow(each, path)),
    ),
  ]);
  return [
    ...[...writable].map((path) => ({ path, writable: true })),
    ...[...readable].map((path) => ({ path, writable: false })),
  ];
}

function mountFlag({ path, writable }: Mount): string {
  const fields = ["type=bind", `source=${path}`, `target=${path}`];
  return `--mount=${[...fields, ...(writable ? [] : ["readonly"])].map(quoted).join(",")}`;
}

/** A field of a line of CSV. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
