import { describe, expect, it } from "vitest";
import {
  parseProcesses,
  startTime,
  withoutReusedParents,
} from "../../../src/process/platform/windows-table.ts";

describe("parseProcesses", () => {
  it("parses one line per process, whatever its command line contains, and skips others", () => {
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

describe("startTime", () => {
  it("is the time by the clock of this program", () => {
    expect(startTime({ startTicks: "116444736000000000" })).toBe(0);
    expect(startTime({ startTicks: "134083296000000000" })).toBe(Date.UTC(2025, 10, 23));
  });
});

describe("withoutReusedParents", () => {
  it("drops a parent that is younger than the child", () => {
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
