import { readFile, stat } from "node:fs/promises";

export interface MachineFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The existing ones of {@link CONTAINER_FILES}. */
  readonly files: readonly string[];
  /** Content of `/proc/1/cgroup`; empty without it. */
  readonly cgroups: string;
}

/** Files that Docker, Podman and systemd create in containers. */
export const CONTAINER_FILES = [
  "/.dockerenv",
  "/run/.containerenv",
  "/run/systemd/container",
] as const;

/** Whether this is probably a container or another sandbox. Used for warnings only. */
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

/** A warning about an agent without permissions. */
export function uncontained(agent: string): string {
  return `${agent} may do anything here without asking (--dangerously-skip-permissions), and this does not look like a container: what it breaks stays broken.`;
}

/** Set by Kubernetes, and by Podman, LXC and systemd-nspawn. */
const MARKS = ["KUBERNETES_SERVICE_HOST", "container"] as const;
const CONTAINER_GROUP = /docker|containerd|kubepods|libpod|lxc|buildkit|garden/;
