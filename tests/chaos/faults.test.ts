import { expect, it } from "vitest";
import { type Fault, pausedProject, tryFault } from "./fault-trial.ts";
import { tell } from "./figures.ts";

const CODES = ["EIO", "ENOSPC", "EACCES", "EMFILE", "EBUSY"];
const TIMES: readonly Fault["during"][] = ["a run", "a resume", "a list", "a prune"];

/**
 * How much is tried: at each commit every twelfth call, refused in one way, with
 * RAYMOND_FAULTS=every each call in one way, and with =all each in every way.
 */
const SIZE = process.env["RAYMOND_FAULTS"] ?? "twelfth";

it("says what the disk refuses, whichever call it is, and goes on when it does so no more", async () => {
  const paused = await pausedProject();
  const failures: string[] = [];
  let count = 0;

  for (const during of TIMES) {
    let next = SIZE === "twelfth" ? 1 + TIMES.indexOf(during) : 1;
    let last = Number.POSITIVE_INFINITY;
    const work = async () => {
      const stride = SIZE === "twelfth" ? 12 : 1;
      for (let nth = next; nth <= last; nth = next) {
        next += stride;
        const codes = CODES.filter((_, index) => SIZE === "all" || index === nth % CODES.length);
        for (const code of codes) {
          const wrong = await tryFault({ during, nth, code }, paused);
          if (wrong === null) last = Math.min(last, nth - 1);
          else {
            count += 1;
            failures.push(...wrong);
          }
        }
      }
    };
    await Promise.all([work(), work(), work()]);
  }

  await tell({ what: "faults: calls of the command line that the disk refused", count, failures });
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(10);
});
