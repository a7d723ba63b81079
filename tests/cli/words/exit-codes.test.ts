import { describe, expect, it } from "vitest";
import { EXIT, exitCodesText } from "../../../src/cli/words/exit-codes.ts";

describe("exit codes", () => {
  it("do not change: scripts rely on them", () => {
    expect(EXIT).toEqual({
      completed: 0,
      failed: 1,
      usage: 2,
      waitingForPerson: 3,
      budget: 4,
      usageLimit: 5,
      locked: 6,
      notFound: 7,
      bug: 70,
      interrupted: 130,
      terminated: 143,
    });
  });

  it("are explained in one line each, in the order of their numbers", () => {
    const numbers = exitCodesText()
      .split("\n")
      .map((line) => /^ *(\d+) {2}\S/.exec(line)?.[1]);

    expect(numbers).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "70", "130", "143"]);
  });
});
