import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../../src/language/workflow/files/parse-state-file.ts";

describe("parseStateFile", () => {
  it.each([
    ["A.md", "prompt"],
    ["A.sh", "script"],
    ["A.bat", "script"],
    ["A.ps1", "script"],
  ])("reads %s as a %s", (name, kind) => {
    expect(parseStateFile(name, "echo")).toMatchObject({ kind, name });
  });

  it("is never asked for another file", () => {
    expect(() => parseStateFile("A.txt", "")).toThrow("A.txt is not the name of a state file");
  });
});
