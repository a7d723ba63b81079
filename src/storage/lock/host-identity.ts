import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { bootId, pidNamespace } from "../../process/platform/identity.ts";
import { type MacHost, macHost } from "../../process/platform/mac-host.ts";

/** Identifies the machine, boot and container of a process. Null where the platform has no such value. */
export interface HostIdentity {
  /** For messages. Distinguishes machines only if nothing better is known. */
  readonly host: string;
  /** Hash of the machine id, which is private. One with the prefix `hardware:` cannot be copied with a disk image. */
  readonly machine: string | null;
  /** Changes at every boot. */
  readonly boot: string | null;
  /** The pid namespace: the same pid is another process in another container. */
  readonly namespace: string | null;
}

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

/** Empty if there is none. */
function machineId(): string {
  try {
    return readFileSync("/etc/machine-id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Whether a process on `there` can be inspected from `here` (docs/state-file.md, "Locking"). */
export function isVisible(there: HostIdentity, here: HostIdentity): boolean {
  if (there.machine !== here.machine) return false;
  // Boot ids are random, so they also identify the machine, even if it was renamed.
  if (here.boot !== null && there.boot === here.boot) return there.namespace === here.namespace;
  // Disk images contain the machine id, but copies get their own host names.
  const isHardware = here.machine?.startsWith(HARDWARE) === true;
  if (there.host !== here.host && !isHardware) return false;
  // The machine is certainly the same and was rebooted, so its former processes have ended.
  if (here.machine !== null && there.boot !== here.boot) return true;
  return there.boot === here.boot && there.namespace === here.namespace;
}

/** Prefix of a machine id that comes from the hardware. */
const HARDWARE = "hardware:";

function hash(machineId: string): string {
  return createHash("sha256").update(`raymond ${machineId}`).digest("hex").slice(0, 16);
}
