import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { debianProgram } from "./debian-program.ts";
import type { Need } from "./needs.ts";

const run = promisify(execFile);

/** Real podman with storage of its own and two images that need no registry. */
export interface Podman {
  readonly need: Need;
  /** Makes podman use this storage. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs podman; resolves with its output. */
  readonly podman: (...args: readonly string[]) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** Contains bash and busybox, and the file `/etc/image`. */
export const IMAGE = "localhost/raymond-test:1";
/** Contains only busybox. */
export const WITHOUT_BASH = "localhost/raymond-test:no-bash";

export async function openPodman(): Promise<Podman> {
  for (const [program, debianPackage] of PROGRAMS) {
    const need = await debianProgram(program, debianPackage);
    if (!need.met) return missing(need.reason);
  }
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-podman-"));
  const env = await configure(folder);
  const podman = async (...args: readonly string[]) => {
    const options = { env: { ...process.env, ...env }, timeout: 60_000 };
    return (await run("podman", [...args], options)).stdout;
  };
  const remove = async () => {
    await podman("rm", "--all", "--force", "--time=0").catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await importImage(folder, WITHOUT_BASH, podman);
    await copyFile(await pathOf("bash-static"), path.join(folder, "image", "bin", "bash"));
    await importImage(folder, IMAGE, podman);
    await podman("run", "--rm", "--pull=never", "--network=none", IMAGE, "/bin/true");
    return { need: { met: true, reason: "" }, env, podman, remove };
  } catch (error) {
    await remove();
    const words = error instanceof Error ? error.message.trim().split("\n").slice(-1) : [];
    return missing(`podman cannot run a container here (${words.join("")})`);
  }
}

const PROGRAMS = [
  ["podman", "podman"],
  ["runc", "runc"],
  ["busybox", "busybox-static"],
  ["bash-static", "bash-static"],
] as const;

function missing(reason: string): Podman {
  return {
    need: { met: false, reason },
    env: {},
    podman: () => Promise.reject(new Error(reason)),
    remove: () => Promise.resolve(),
  };
}

/** Works without systemd, overlayfs, and the right to raise limits. */
async function configure(folder: string) {
  const containers = path.join(folder, "containers.conf");
  const storage = path.join(folder, "storage.conf");
  const limits = 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]';
  const engine = 'runtime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "none"';
  await writeFile(containers, `[containers]\n${limits}\n[engine]\n${engine}\n`);
  const roots = ["graphroot", "runroot"].map((name) => `${name} = "${path.join(folder, name)}"`);
  await writeFile(storage, `[storage]\ndriver = "vfs"\n${roots.join("\n")}\n`);
  return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage };
}

async function importImage(folder: string, image: string, podman: Podman["podman"]): Promise<void> {
  const root = path.join(folder, "image");
  await mkdir(path.join(root, "bin"), { recursive: true });
  await mkdir(path.join(root, "etc"), { recursive: true });
  await writeFile(path.join(root, "etc", "image"), "the image\n");
  const busybox = path.join(root, "bin", "busybox");
  await copyFile(await pathOf("busybox"), busybox);
  const { stdout } = await run(busybox, ["--list"]);
  for (const applet of stdout.trim().split("\n")) {
    if (applet === "busybox" || applet === "bash") continue;
    await symlink("busybox", path.join(root, "bin", applet)).catch(() => undefined);
  }
  const archive = path.join(folder, "image.tar");
  await run("tar", ["-C", root, "-cf", archive, "."]);
  await podman("import", "--quiet", archive, image);
}

async function pathOf(program: string): Promise<string> {
  return (await run("which", [program])).stdout.trim();
}
