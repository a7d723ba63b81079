import { execFile } from "node:child_process";

/** What a Mac tells of itself; null what it does not tell. */
export interface MacHost {
  /** Changes at every boot. */
  readonly boot: string | null;
  readonly machine: string | null;
  /** Whether the machine's id is that of real hardware, which nobody can copy. */
  readonly hardware: boolean;
}

/** What a program printed; null where it is missing or failed. */
export type Ask = (command: string, args: readonly string[]) => Promise<string | null>;

/** Asks the system's own tools, by their whole paths: one on PATH may be any. Never rejects. */
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

/** What is mounted where on a Mac, as `mount` prints it; null where it does not answer. */
export function mountTable(ask: Ask = askTool): Promise<string | null> {
  return ask("/sbin/mount", []);
}

/** Reads what `sysctl -n kern.bootsessionuuid` prints; null where that is no UUID. */
export function parseBootSession(text: string): string | null {
  const line = text.trim();
  return UUID.test(line) ? line.toUpperCase() : null;
}

/** Reads IOPlatformUUID in what `ioreg -rd1 -c IOPlatformExpertDevice` prints; null where it is not there. */
export function parsePlatformUuid(text: string): string | null {
  const found = /^[\s|]*"IOPlatformUUID" = "([^"]*)"\s*$/m.exec(text)?.[1] ?? "";
  return UUID.test(found) ? found.toUpperCase() : null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Both answer within milliseconds; what hangs is no reason to hang with it. */
const PATIENCE_MS = 5_000;

function askTool(command: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: PATIENCE_MS }, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
  });
}
