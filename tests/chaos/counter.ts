import { afterAll, onTestFailed } from "vitest";
import { reportFigure } from "./figures.ts";

/** Counts the trials of a file and reports them with their failures after the last test. */
export function counter(what: string): { add(count?: number): void } {
  let count = 0;
  const failures: string[] = [];
  afterAll(() => reportFigure({ what, count, failures }));
  return {
    add: (more = 1) => {
      count += more;
      onTestFailed(({ task }) => {
        failures.push(task.name);
      });
    },
  };
}
