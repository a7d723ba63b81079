import { describe, expect, it } from "vitest";
import { processHost } from "../../src/process/platform/host.ts";
import { shellSyntax } from "../../src/process/shell-syntax.ts";

const GOOD = ["", "# nothing", "echo x", "cat <<END\nx\nEND\n", "if true; then echo; fi", "exit 1"];
const BAD = ["if true; then", "fi", "echo 'x", "case x in", "}", "{", "f() {"];

describe.runIf(process.platform !== "win32")("shellSyntax", () => {
  const syntax = shellSyntax("bash", processHost().start);

  it("accepts valid scripts", async () => {
    expect(await syntax.check(GOOD)).toEqual(GOOD.map(() => null));
  });

  it("reports the line of each invalid script, and of no other", async () => {
    const faults = await syntax.check([...GOOD, ...BAD, "true\ntrue\n)\n"]);

    expect(faults.map((fault) => fault === null)).toEqual([
      ...GOOD.map(() => true),
      ...BAD.map(() => false),
      false,
    ]);
    expect(faults.at(-1)).toEqual({
      line: 3,
      message: expect.stringContaining("syntax error") as unknown,
    });
  });

  it("executes nothing", async () => {
    expect(await syntax.check(["echo x >&2; exit 3", "$(touch /tmp/never)"])).toEqual([null, null]);
  });
});
