import { type Guard, startGuard } from "../../process/children/guard.ts";
import { startService } from "../../process/children/service.ts";

/**
 * The guard of this worker, which kills what the worker has started when it hangs for longer than its lease. It is
 * started by the first heartbeat. Windows has no process groups, and no guard.
 */
export function workerGuard(log: (line: string) => void): Guard {
  let guard: Guard | null = null;
  const onProblem = (problem: string) => {
    log(
      `warning: The guard process of this worker has failed, so steps may outlive its lease: ${problem}`,
    );
  };
  return {
    renew: (leftMs) => {
      if (process.platform === "win32") return;
      guard ??= startGuard(startService, process.pid, onProblem);
      guard.renew(leftMs);
    },
    end: async () => guard?.end(),
  };
}
