import { describe, expect, it } from "vitest";
import { systemIds } from "../../src/wire/system/system.ts";
import { describeIds } from "../contracts/ids.ts";
import { numberedIds } from "../support/ids.ts";

describeIds("the machine's", () => systemIds);

let last = 0;
describeIds("those of tests", () =>
  numberedIds("session-", () => {
    last += 1;
    return last;
  }),
);

describe("session ids", () => {
  it("are UUIDs, as clients require", () => {
    expect(systemIds.session()).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  });
});
