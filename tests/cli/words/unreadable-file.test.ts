import { expect, it } from "vitest";
import { reportError } from "../../../src/cli/words/report-error.ts";
import { UnreadableFileError } from "../../../src/files/read-file.ts";

it("reports a file that is a pipe without a stack", () => {
  const lines: string[] = [];
  const error = new UnreadableFileError("EFTYPE", "/p/events.jsonl", "is not a regular file");

  const code = reportError(error, (text) => void lines.push(text));

  expect(code).toBe(2);
  expect(lines).toEqual([
    "error: Cannot read the file: /p/events.jsonl is not a regular file.",
    "hint: raymond did not write it. Move it away.",
  ]);
});
