import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Runs `work` and returns the growth of live memory, bytes. Garbage does not count, so the load of the machine
 * has no effect.
 */
export async function heapGrowth(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const held = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, held() - before)), 1_000);
  await work();
  clearInterval(timer);
  return Math.max(most, held() - before);
}
