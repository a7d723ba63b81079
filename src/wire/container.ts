import { readFile, stat } from "node:fs/promises";

/** What a machine shows of whether it is a container. */
export interface MachineFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Those of {@link CONTAINER_FILES} that exist. */
  readonly files: readonly string[];
  /** The control groups of the first process, as `/proc/1/cgroup` lists them; empty where there is no such file. */
  readonly cgroups: string;
}

/** Files by which Docker, Podman and systemd mark the inside of a container. */
export const CONTAINER_FILES = [
  "/.dockerenv",
  "/run/.containerenv",
  "/run/systemd/container",
] as const;

/**
 * Whether this is a container or another sandbox, as far as it shows: a guess
 * that decides about a warning and nothing else.
 */
export function isContainer({ env, files, cgroups }: MachineFacts): boolean {
  if (env["IS_SANDBOX"] === "1") return true;
  if (MARKS.some((name) => (env[name] ?? "") !== "")) return true;
  return files.length > 0 || CONTAINER_GROUP.test(cgroups);
}

/** Never rejects. */
export async function machineFacts(env: MachineFacts["env"]): Promise<MachineFacts> {
  const found = await Promise.all(
    CONTAINER_FILES.map((file) =>
      stat(file).then(
        () => [file],
        () => [],
      ),
    ),
  );
  const cgroups = await readFile("/proc/1/cgroup", "utf8").catch(() => "");
  return { env, files: found.flat(), cgroups };
}

/** Warning about `--dangerously-skip-permissions` outside a container. */
export const UNCONTAINED =
  "claude may do anything here without asking (--dangerously-skip-permissions), and this does not look like a container: what it breaks stays broken.";

/** Set by Kubernetes, and by Podman, LXC and systemd-nspawn. */
const MARKS = ["KUBERNETES_SERVICE_HOST", "container"] as const;
const CONTAINER_GROUP = /docker|containerd|kubepods|libpod|lxc|buildkit|garden/;
