import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { bootId, pidNamespace } from "../process/identity.ts";

/** Where a process lives, as far as this platform tells; null where it does not. */
export interface HostIdentity {
  readonly host: string;
  /** Names the machine, where two have the same host name. A hash: the id itself is private. */
  readonly machine: string | null;
  /** Changes at every boot. */
  readonly boot: string | null;
  /** The pid namespace: the same pid is another process in another container. */
  readonly namespace: string | null;
}

/** Where this process lives. */
export async function thisHost(): Promise<HostIdentity> {
  const machine = await readFile("/etc/machine-id", "utf8").catch(() => "");
  return {
    host: hostname(),
    machine: machine.trim() === "" ? null : hash(machine.trim()),
    boot: bootId() || null,
    namespace: pidNamespace() || null,
  };
}

/** Whether a process at `there` can be looked up from `here`. */
export function isVisible(there: HostIdentity, here: HostIdentity): boolean {
  if (there.host !== here.host || there.machine !== here.machine) return false;
  // A reboot of a machine that is known for sure has ended everything in it.
  if (here.machine !== null && there.boot !== here.boot) return true;
  return there.boot === here.boot && there.namespace === here.namespace;
}

function hash(machineId: string): string {
  return createHash("sha256").update(`raymond ${machineId}`).digest("hex").slice(0, 16);
}
