import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStat, tokenIn } from "../../../src/process/platform/proc-table.ts";
import { parsePs } from "../../../src/process/platform/ps-table.ts";
import { familyOf, type ProcessRow } from "../../../src/process/platform/table.ts";

const anyRows: fc.Arbitrary<readonly ProcessRow[]> = fc.uniqueArray(
  fc.record({
    pid: fc.integer({ min: 1, max: 30 }),
    parent: fc.integer({ min: 0, max: 30 }),
    group: fc.constant(1),
    startTicks: fc.constant("1"),
    token: fc.constantFrom(null, "run.1"),
    command: fc.constant("x"),
  }),
  { selector: (row) => row.pid },
);
const carries = (row: ProcessRow): boolean => row.token !== null;

describe("familyOf", () => {
  it("finds every root and its descendants once, but never itself", () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 1, max: 30 }), (rows, self) => {
        const pids = familyOf(rows, carries, self).map(({ pid }) => pid);
        const others = rows.filter(({ pid }) => pid !== self);

        expect(new Set(pids).size).toBe(pids.length);
        expect(pids).not.toContain(self);
        for (const row of others) {
          const belongs = carries(row) || pids.includes(row.parent);
          if (belongs) expect(pids).toContain(row.pid);
        }
      }),
    );
  });

  it("finds only roots and their descendants", () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const family = familyOf(rows, carries, -1);
        const pids = family.map(({ pid }) => pid);

        for (const row of family) expect(carries(row) || pids.includes(row.parent)).toBe(true);
        if (!rows.some(carries)) expect(family).toEqual([]);
      }),
    );
  });

  it("finds nothing that is only reachable through this process", () => {
    const row = { group: 1, startTicks: "1", command: "x" };
    const self = { ...row, pid: 2, parent: 1, token: "run.1" };
    const child = { ...row, pid: 3, parent: 2, token: null };

    expect(familyOf([self, child], carries, 2)).toEqual([]);
  });
});

describe("parseStat", () => {
  const stat = (name: string, state = "S"): string =>
    `12 (${name}) ${state} 7 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 2 3\n`;

  it("parses any name, with blanks and parentheses", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(parseStat(stat(name))).toEqual({ name, parent: 7, group: 12, startTicks: "98765" });
      }),
    );
  });

  it.each([["Z"], ["X"]])("treats the state %s as dead", (state) => {
    expect(parseStat(stat("a", state))).toBeNull();
  });

  it("rejects other texts", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes(")")),
        (text) => {
          expect(parseStat(text)).toBeNull();
        },
      ),
    );
  });
});

describe("tokenIn", () => {
  it.each([
    ["first", "RAYMOND_STEP_TOKEN=t.1\0A=b\0", "t.1"],
    ["last", "A=b\0RAYMOND_STEP_TOKEN=t.1\0", "t.1"],
    ["without a NUL at the end", "RAYMOND_STEP_TOKEN=t.1", "t.1"],
    ["empty", "RAYMOND_STEP_TOKEN=\0", ""],
    ["after a name that ends alike", "MY_RAYMOND_STEP_TOKEN=x\0RAYMOND_STEP_TOKEN=t.1\0", "t.1"],
    ["only inside of another value", "A=RAYMOND_STEP_TOKEN=x\0", null],
    ["nowhere", "A=b\0", null],
    ["nowhere in an empty one", "", null],
  ])("finds the token %s", (_where, environ, token) => {
    expect(tokenIn(Buffer.from(environ))).toBe(token);
  });
});

describe("parsePs", () => {
  it("parses pid, parent, group, start, command and token, and skips zombies", () => {
    const text = [
      "    1     0     1 Ss   Mon Nov 17 09:12:01 2025 /sbin/launchd",
      "  812     1   812 S    Fri Nov 21 10:00:59 2025 /bin/bash /w/A.sh PATH=/bin RAYMOND_STEP_TOKEN=t.1 X=y",
      "  813   812   812 Z    Fri Nov 21 10:01:00 2025 (sleep)",
      "  814   812   812 R+   Sat Nov  1 10:01:00 2025",
      "",
    ].join("\n");

    expect(parsePs(text)).toEqual([
      {
        pid: 1,
        parent: 0,
        group: 1,
        startTicks: "Mon Nov 17 09:12:01 2025",
        token: null,
        command: "/sbin/launchd",
      },
      {
        pid: 812,
        parent: 1,
        group: 812,
        startTicks: "Fri Nov 21 10:00:59 2025",
        token: "t.1",
        command: "/bin/bash /w/A.sh",
      },
    ]);
  });
});
