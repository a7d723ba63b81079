import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { bootId, pidNamespace } from "../process/identity.ts";
import { type MacHost, macHost } from "../process/mac-host.ts";

/** Where a process lives, as far as this platform tells; null where it does not. */
export interface HostIdentity {
  /** For people; it tells two machines apart only where nothing better does. */
  readonly host: string;
  /**
   * Names the machine. A hash: the id itself is private. One that begins with
   * `hardware:` cannot be copied with a disk or an image.
   */
  readonly machine: string | null;
  /** Changes at every boot. */
  readonly boot: string | null;
  /** The pid namespace: the same pid is another process in another container. */
  readonly namespace: string | null;
}

/** Where this process lives. */
export async function thisHost(
  platform: NodeJS.Platform = process.platform,
  askMac: () => Promise<MacHost> = macHost,
): Promise<HostIdentity> {
  const host = hostname();
  if (platform === "darwin") {
    const { boot, machine: id, hardware } = await askMac();
    const machine = id === null ? null : (hardware ? HARDWARE : "") + hash(id);
    return { host, machine, boot, namespace: null };
  }
  const machine = machineId();
  return {
    host,
    machine: machine === "" ? null : hash(machine),
    boot: bootId() || null,
    namespace: pidNamespace() || null,
  };
}

/** Empty where there is none. */
function machineId(): string {
  try {
    return readFileSync("/etc/machine-id", "utf8").trim();
  } catch {
    return "";
  }
}

/**
 * Whether a process at `there` can be looked up from `here`
 * (docs/state-file.md, "The lock").
 */
export function isVisible(there: HostIdentity, here: HostIdentity): boolean {
  if (there.machine !== here.machine) return false;
  // The id of a boot is made at random: it names the machine as well, whatever that is called by now.
  if (here.boot !== null && there.boot === here.boot) return there.namespace === here.namespace;
  // Images are copied with the machine's id in them, and the copies have names of their own.
  const isHardware = here.machine?.startsWith(HARDWARE) === true;
  if (there.host !== here.host && !isHardware) return false;
  // A reboot of a machine that is known for sure has ended everything in it.
  if (here.machine !== null && there.boot !== here.boot) return true;
  return there.boot === here.boot && there.namespace === here.namespace;
}

/** Before the machine's id where it comes from its hardware. */
const HARDWARE = "hardware:";

function hash(machineId: string): string {
  return createHash("sha256").update(`raymond ${machineId}`).digest("hex").slice(0, 16);
}
