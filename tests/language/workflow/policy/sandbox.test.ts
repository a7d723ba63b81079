import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  printSandbox,
  readSandbox,
  type Sandbox,
} from "../../../../src/language/workflow/policy/sandbox.ts";

const anyPath = fc.stringMatching(/^[a-zA-Z0-9._/~-]{1,20}$/);
const anySandbox: fc.Arbitrary<Sandbox> = fc.record({
  write: fc.array(anyPath, { maxLength: 3 }),
  network: fc.boolean(),
});

describe("readSandbox", () => {
  it.each<[unknown, Sandbox | null]>([
    ["on", { write: ["."], network: true }],
    [true, { write: ["."], network: true }],
    ["off", null],
    [false, null],
    ["network:off", { write: ["."], network: false }],
    ["write:dist,write:out", { write: ["dist", "out"], network: true }],
    ["read-only,network:off", { write: [], network: false }],
    [
      { write: ["dist"], network: "off" },
      { write: ["dist"], network: false },
    ],
    [{ network: false }, { write: ["."], network: false }],
    [{ write: [] }, { write: [], network: true }],
  ])("reads %j", (value, sandbox) => {
    expect(readSandbox(value)).toEqual(sandbox);
  });

  it.each([
    ...["", "maybe", "write:", "write", "network:maybe", "on,write:a", "read-only,write:a"],
    ...[null, 1, ["on"], { write: "dist" }, { write: [""] }, { writes: ["a"] }, { network: 0 }],
  ])("rejects %j", (value) => {
    expect(readSandbox(value)).toBeUndefined();
  });

  it("reads what printSandbox prints", () => {
    fc.assert(
      fc.property(anySandbox, (sandbox) => {
        expect(readSandbox(printSandbox(sandbox))).toEqual(sandbox);
      }),
    );
  });
});
