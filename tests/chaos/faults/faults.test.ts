import { expect, it } from "vitest";
import { reportFigure } from "../figures.ts";
import { type Fault, pausedProject, tryFault } from "./fault-trial.ts";

const CODES = ["EIO", "ENOSPC", "EACCES", "EMFILE", "EBUSY"];
const TIMES: readonly Fault["during"][] = ["a run", "a resume", "a list", "a prune"];

/**
 * Number of trials: by default every twelfth call fails with one error code. RAYMOND_FAULTS=every: every call with
 * one code. RAYMOND_FAULTS=all: every call with all codes.
 */
const SIZE = process.env["RAYMOND_FAULTS"] ?? "twelfth";

it("reports a failed disk call, whichever it is, and continues once the disk works again", async () => {
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

  await reportFigure({
    what: "faults: calls of the command line that the disk refused",
    count,
    failures,
  });
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(10);
});
