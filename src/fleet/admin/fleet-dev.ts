import type { Caller } from "../../wire/caller.ts";
import { devServer } from "./fleet.ts";
import { initFleet } from "./fleet-init.ts";

/** A fleet to try things with. */
export interface DevFleet {
  readonly url: string;
  /** Whose server it is: the system's, or that of the package. */
  readonly from: "system" | "package";
}

/**
 * Starts a throw-away PostgreSQL on loopback, prepares it for a fleet, and tells where
 * it is. Resolves when `until` aborts, and then nothing of it is left; false where the
 * server has ended before.
 */
export async function devFleet(
  caller: Caller,
  signal: AbortSignal,
  onReady: (fleet: DevFleet) => void,
): Promise<boolean> {
  const server = await devServer(caller);
  try {
    await initFleet({ url: server.url }, caller);
    onReady({ url: server.url, from: server.binaries.from });
    const asked = new Promise<true>((resolve) => {
      const end = () => {
        resolve(true);
      };
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
    });
    return await Promise.race([asked, server.lost.then(() => false)]);
  } finally {
    await server.end();
  }
}
