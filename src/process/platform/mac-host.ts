import { execFile } from "node:child_process";

/** Properties of a Mac; null where unknown. */
export interface MacHost {
  /** Changes at every boot. */
  readonly boot: string | null;
  readonly machine: string | null;
  /** Whether the machine id is that of real hardware, which cannot be cloned. */
  readonly hardware: boolean;
}

/** Runs a program; null if it is missing or fails. */
export type Ask = (command: string, args: readonly string[]) => Promise<string | null>;

/** Runs system tools by their absolute paths, so that PATH does not matter. Never rejects. */
export async function macHost(ask: Ask = askTool): Promise<MacHost> {
  const [boot, registry, virtual] = await Promise.all([
    ask("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]),
    ask("/usr/sbin/ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"]),
    ask("/usr/sbin/sysctl", ["-n", "kern.hv_vmm_present"]),
  ]);
  const machine = parsePlatformUuid(registry ?? "");
  return {
    boot: parseBootSession(boot ?? ""),
    machine,
    hardware: machine !== null && virtual?.trim() === "0",
  };
}

/** The output of `mount` on a Mac; null on failure. */
export function mountTable(ask: Ask = askTool): Promise<string | null> {
  return ask("/sbin/mount", []);
}

/** Parses `sysctl -n kern.bootsessionuuid`; null if it is not a UUID. */
export function parseBootSession(text: string): string | null {
  const line = text.trim();
  return UUID.test(line) ? line.toUpperCase() : null;
}

/** Parses IOPlatformUUID from `ioreg -rd1 -c IOPlatformExpertDevice`; null if missing. */
export function parsePlatformUuid(text: string): string | null {
  const found = /^[\s|]*"IOPlatformUUID" = "([^"]*)"\s*$/m.exec(text)?.[1] ?? "";
  return UUID.test(found) ? found.toUpperCase() : null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Both take milliseconds; a hanging tool must not block. */
const PATIENCE_MS = 5_000;

function askTool(command: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: PATIENCE_MS }, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
  });
}
