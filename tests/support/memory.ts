import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Runs `work`, and tells how many bytes more than before it held at once. What
 * is only not yet collected does not count, so a busy machine changes nothing.
 */
export async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const held = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, held() - before)), 1_000);
  await work();
  clearInterval(look);
  return Math.max(most, held() - before);
}
