import { afterAll, onTestFailed } from "vitest";
import { tell } from "./figures.ts";

/** Counts what the tests of one file try, and tells it with those that failed when all have ended. */
export function counter(what: string): { add(count?: number): void } {
  let count = 0;
  const failures: string[] = [];
  afterAll(() => tell({ what, count, failures }));
  return {
    add: (more = 1) => {
      count += more;
      onTestFailed(({ task }) => {
        failures.push(task.name);
      });
    },
  };
}
