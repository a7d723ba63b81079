import { describe, expect, it } from "vitest";
import {
  parseProcesses,
  startedAt,
  withoutReusedParents,
} from "../../src/process/windows-table.ts";

describe("parseProcesses", () => {
  it("reads a line a process, whatever its command line holds, and passes over all else", () => {
    const text = [
      '812 4 134013402001234567 "C:\\Program Files\\nodejs\\node.exe" cli.js --resume x y',
      "816 812 134013402011234567 ",
      "Get-CimInstance : Access denied",
      "",
    ].join("\r\n");

    expect(parseProcesses(text)).toEqual([
      {
        pid: 812,
        parent: 4,
        group: 812,
        startTicks: "134013402001234567",
        token: null,
        command: '"C:\\Program Files\\nodejs\\node.exe" cli.js --resume x y',
      },
      {
        pid: 816,
        parent: 812,
        group: 816,
        startTicks: "134013402011234567",
        token: null,
        command: "",
      },
    ]);
  });
});

describe("startedAt", () => {
  it("is the moment by the clock of this program", () => {
    expect(startedAt({ startTicks: "116444736000000000" })).toBe(0);
    expect(startedAt({ startTicks: "134083296000000000" })).toBe(Date.UTC(2025, 10, 23));
  });
});

describe("withoutReusedParents", () => {
  it("takes nobody for the child of one who is younger", () => {
    const rows = parseProcesses(
      [
        "10 1 134083296000000000 parent",
        "11 10 134083296010000000 child",
        "12 10 134083295990000000 older",
      ].join("\n"),
    );

    expect(withoutReusedParents(rows).map(({ pid, parent }) => [pid, parent])).toEqual([
      [10, 1],
      [11, 10],
      [12, 0],
    ]);
  });
});
