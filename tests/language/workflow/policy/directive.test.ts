import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidFileError } from "../../../../src/language/workflow/errors.ts";
import { NO_ENVIRONMENT } from "../../../../src/language/workflow/policy/declared-environment.ts";
import { parseScript } from "../../../../src/language/workflow/policy/directive.ts";

describe("parseScript", () => {
  it.each([
    ["S.sh", "#!/bin/bash\n# raymond: timeout=30m\n", 1_800_000],
    ["S.sh", "#raymond:timeout=90", 90_000],
    ["S.sh", "\uFEFF#!/bin/bash\r\n  #  raymond:  timeout=2h  \r\n", 7_200_000],
    ["S.bat", "@echo off\r\nREM raymond: timeout=30m\r\n", 1_800_000],
    ["S.bat", "@rem raymond: timeout=30m", 1_800_000],
    ["S.bat", ":: raymond: timeout=30m", 1_800_000],
    ["S.sh", "#!/bin/bash\necho done\n", null],
    ["S.sh", "echo '# raymond: timeout=30m'", null],
    ["S.sh", "REM raymond: timeout=30m", null],
    ["S.bat", "# raymond: timeout=30m", null],
    ["S.ps1", "\ufeff# raymond: timeout=30m\r\n", 1_800_000],
    ["S.ps1", "REM raymond: timeout=30m", null],
    ["S.sh", "# Raymond, timeout=30m", null],
    ["S.sh", "", null],
  ])("reads %s %j", (name, text, timeoutMs) => {
    expect(parseScript(name, text)).toEqual({
      kind: "script",
      name,
      ...{ body: text, bodyLine: 1, bodyColumn: 1 },
      timeoutMs,
      retries: 0,
      backoffMs: 10_000,
      onError: null,
      maxVisits: null,
      env: NO_ENVIRONMENT,
      sandbox: null,
      container: null,
      warnings: [],
    });
  });

  it("reads every key of one comment", () => {
    const text =
      "#!/bin/bash\n# raymond: timeout=30m retries=3 backoff=500ms on_error=FIX max_visits=20 env=A,B_*\n";

    expect(parseScript("S.sh", text)).toEqual({
      kind: "script",
      name: "S.sh",
      ...{ body: text, bodyLine: 1, bodyColumn: 1 },
      timeoutMs: 1_800_000,
      retries: 3,
      backoffMs: 500,
      onError: { target: "FIX", at: { line: 2, column: 48 } },
      maxVisits: 20,
      env: { pass: ["A", "B_*"], set: {}, secret: [] },
      sandbox: null,
      container: null,
      warnings: [],
    });
  });

  it.each([
    ["retries=0", { retries: 0 }],
    ["retries=999", { retries: 999 }],
    ["backoff=0", { backoffMs: 0 }],
    ["on_error=1_FIX.md", { onError: { target: "1_FIX.md" } }],
    ["max_visits=1", { maxVisits: 1 }],
    [
      "container=localhost:5000/a/node:22@sha256:0f",
      { container: "localhost:5000/a/node:22@sha256:0f" },
    ],
    ["sandbox=write:dist,network:off", { sandbox: { write: ["dist"], network: false } }],
  ])("reads %s", (setting, expected) => {
    expect(parseScript("S.sh", `# raymond: ${setting}`)).toMatchObject(expected);
  });

  it.each(["--privileged", "-v=/:/host", "off", "none", "a b", "$(id)"])(
    "refuses %s as an image",
    (image) => {
      expect(() => parseScript("S.sh", `# raymond: container=${image}`)).toThrow(/^S\.sh:1:/);
    },
  );

  it("names the file by the path that it is given", () => {
    expect(() => parseScript("S.sh", "# raymond: retries=x", "/w/S.sh")).toThrow(
      /^\/w\/S\.sh:1:12: /,
    );
  });

  it.each(["timeout", "retries", "backoff", "on_error", "max_visits", "sandbox", "container"])(
    "says of a %s without a value what to write",
    (key) => {
      expect(() => parseScript("S.sh", `# raymond: ${key}`)).toThrow(
        expect.objectContaining({
          message: `S.sh:1:12: ${key} has no value.`,
          hint: expect.stringContaining(`${key}=`) as string,
        }),
      );
    },
  );

  it("looks in the first 20 lines and no further", () => {
    const at = (line: number) => `${"\n".repeat(line - 1)}# raymond: timeout=1m`;

    expect(parseScript("S.sh", at(20)).timeoutMs).toBe(60_000);
    expect(parseScript("S.sh", at(21)).timeoutMs).toBeNull();
  });

  it("warns of an unknown key, with its line and the nearest key", () => {
    expect(parseScript("S.sh", "#!/bin/bash\n# raymond: timout=30m x=1").warnings).toEqual([
      {
        line: 2,
        message: 'Unknown directive "timout" (ignored). Did you mean timeout?',
      },
      { line: 2, message: 'Unknown directive "x" (ignored).' },
    ]);
  });

  it.each([
    ["# raymond: timeout=soon", 1, 12, /timeout cannot be "soon"/],
    ["# raymond: timeout=-5", 1, 12, /cannot be/],
    ["# raymond: timeout=", 1, 12, /no value/],
    ["# raymond: timeout 30m", 1, 12, /no value/],
    ["# raymond: timeout = 30m", 1, 12, /no value/],
    ["# raymond: timeout=1m timeout=2m", 1, 23, /Duplicate setting/],
    ["# raymond: retries=-1", 1, 12, /retries cannot be "-1"/],
    ["# raymond: retries=1000", 1, 12, /cannot be/],
    ["# raymond: retries=1.5", 1, 12, /cannot be/],
    ["# raymond: retries=3 backoff=often", 1, 22, /backoff cannot be/],
    ["# raymond: on_error=sub/FIX", 1, 12, /on_error cannot be/],
    ["# raymond: on_error=..", 1, 12, /cannot be/],
    ["# raymond: max_visits=0", 1, 12, /max_visits cannot be "0"/],
    ["# raymond: max_visits=many", 1, 12, /cannot be/],
    ["# raymond: timeout=1m\n\n# raymond: timeout=2m", 3, 11, /Duplicate directive/],
  ])("refuses %j", (text, line, column, message) => {
    const parse = () => parseScript("S.sh", text);

    expect(parse).toThrow(InvalidFileError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(
      expect.objectContaining({ code: "lint/RAY102", file: "S.sh", line, column }),
    );
  });

  it("reads any script without a directive in it", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("raymond:")),
        (text) => {
          expect(parseScript("S.sh", text)).toMatchObject({ timeoutMs: null, warnings: [] });
        },
      ),
    );
  });
});
