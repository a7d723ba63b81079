import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { watchWorkflows } from "../../../../src/wire/engine/watch.ts";
import { zipOf } from "../../../support/disk/zips.ts";
import { tempFolder } from "../../../support/folders.ts";
import { testShell } from "../../../support/test-shell.ts";

const MISTYPED = "---\nallowed_transitions:\n  - { tag: goto, target: REVEIW }\n---\nDo it.\n";
const REVIEW = "End with <result>the findings</result>\n";

async function flowOf(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, "flow"));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(cwd, "flow", name), text);
  }
  return cwd;
}

async function lint(cwd: string, ...words: readonly string[]) {
  const shell = testShell(cwd);
  const error = await runCommandLine(["node", "raymond", "lint", ...words], shell).catch(
    (reason: unknown) => reason,
  );
  return { error, stdout: shell.stdout(), stderr: shell.stderr(), code: shell.code() };
}

describe("raymond lint", () => {
  it("shows place, line, marker and hint, and exits with 2 for an error", async () => {
    const cwd = await flowOf({ "START.md": MISTYPED, "REVIEW.md": REVIEW });

    expect(await lint(cwd, "flow")).toEqual({
      error: undefined,
      code: 2,
      stdout: [
        'flow/START.md:3:26: error: Unknown target "REVEIW" of this rule. Did you mean REVIEW? [RAY201]',
        "  3 |   - { tag: goto, target: REVEIW }",
        "    |                          ^^^^^^",
        "  Correct the name, or add the state.",
        "",
      ].join("\n"),
      stderr: "1 error.\n",
    });
  });

  it("says that nothing was found, and exits with 0", async () => {
    const cwd = await flowOf({ "START.md": REVIEW });

    expect(await lint(cwd, "flow", "flow/START")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "Nothing found.\n",
    });
  });

  it("exits with 2 for more warnings than allowed", async () => {
    const cwd = await flowOf({ "START.md": "End with <goto>GONE</goto>" });

    expect(await lint(cwd, "flow")).toMatchObject({ code: 0, stderr: "1 warning.\n" });
    expect(await lint(cwd, "flow", "--max-warnings", "1")).toMatchObject({ code: 0 });
    expect(await lint(cwd, "flow", "--max-warnings", "0")).toMatchObject({ code: 2 });
  });

  it.each([
    [{ "START.sh": "# raymond-lint-ignore RAY401: runs forever\n" }],
    [{ "START.sh": "", "workflow.yaml": "lint_ignore: [RAY401]\n" }],
  ])("does not report an accepted warning: %j", async (files: Record<string, string>) => {
    const loop = 'echo "<goto>START</goto>"\n';
    const cwd = await flowOf({ ...files, "START.sh": `${files["START.sh"] ?? ""}${loop}` });

    expect(await lint(cwd, "flow")).toMatchObject({ code: 0, stderr: "Nothing found.\n" });

    await writeFile(path.join(cwd, "flow", "START.sh"), loop);
    await writeFile(path.join(cwd, "flow", "workflow.yaml"), "name: x\n");
    expect((await lint(cwd, "flow")).stdout).toContain("[RAY401]");
  });

  it("reports all errors of a file", async () => {
    const cwd = await flowOf({
      "START.md":
        "---\nallow: [foo, command(ls), bar]\neffort: hihg\n---\nEnd with <result>x</result>",
      "workflow.yaml":
        "model: []\nbudget: x\nlint_ignore: [RAY401, all]\nvars:\n  a: 1\n  b: { options: 3 }\n",
    });
    const one = path.join(cwd, "one.yaml");
    await writeFile(
      one,
      "states:\n  START:\n    model: []\n    effort: hihg\n    prompt: x\n  B:\n    budget: x\n    prompt: y\n",
    );

    expect(await lint(cwd, "flow")).toMatchObject({ code: 2, stderr: "8 errors.\n" });
    const { stdout, stderr } = await lint(cwd, one);
    expect(stderr).toBe("3 errors.\n");
    for (const line of [3, 4, 7]) expect(stdout).toContain(`one.yaml:${String(line)}:`);
  });

  it("prints one object", async () => {
    const cwd = await flowOf({ "START.md": MISTYPED, "REVIEW.md": REVIEW });

    const { stdout } = await lint(cwd, "flow", "--json");

    expect(JSON.parse(stdout)).toMatchObject({
      ...{ errors: 1, warnings: 0, notes: 0 },
      workflows: [
        {
          workflow: path.join(cwd, "flow"),
          fixed: 0,
          findings: [
            {
              ...{ rule: "RAY201", severity: "error", line: 3, column: 26, fixable: false },
              file: path.join(cwd, "flow", "START.md"),
            },
          ],
        },
      ],
    });
  });

  it("prints SARIF with relative paths and all rules", async () => {
    const cwd = await flowOf({ "START.md": MISTYPED, "REVIEW.md": REVIEW });

    const { stdout } = await lint(cwd, "flow", "--format", "sarif");

    const region = { startLine: 3, startColumn: 26 };
    const artifactLocation = { uri: "flow/START.md" };
    expect(JSON.parse(stdout)).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "raymond" } },
          results: [
            {
              ...{ ruleId: "RAY201", level: "error" },
              locations: [{ physicalLocation: { artifactLocation, region } }],
            },
          ],
        },
      ],
    });
  });

  it("prints annotations for GitHub, each on one line", async () => {
    const cwd = await flowOf({ "START.md": MISTYPED, "REVIEW.md": REVIEW });

    expect((await lint(cwd, "flow", "--format", "github")).stdout).toBe(
      '::error file=flow/START.md,line=3,col=26,title=RAY201::Unknown target "REVEIW" of this rule. Did you mean REVIEW? Correct the name, or add the state.\n',
    );
  });

  it("fixes safe problems and leaves the others", async () => {
    const cwd = await flowOf({
      "START.md": "End with <goto>Check</goto> or <goto>MISSING</goto>.\n",
      "CHECK.sh": '\uFEFF#!/bin/bash\r\necho "<goto>GONE</goto>"\r\n',
    });

    const said = await lint(cwd, "flow", "--fix");

    expect(said).toMatchObject({ code: 0 });
    expect(said.stderr).toContain("Fixed 3 problems.");
    const text = (name: string) => readFile(path.join(cwd, "flow", name), "utf8");
    expect(await text("START.md")).toBe("End with <goto>CHECK</goto> or <goto>MISSING</goto>.\n");
    expect(await text("CHECK.sh")).toBe('#!/bin/bash\necho "<goto>GONE</goto>"\n');
  });

  it("checks a zip archive, and does not change it", async () => {
    const cwd = await tempFolder();
    await writeFile(
      path.join(cwd, "flow.zip"),
      zipOf({ "START.md": "End with <goto>Next</goto>", "NEXT.md": REVIEW }),
    );

    expect((await lint(cwd, "flow.zip")).stdout).toContain("  1 | End with <goto>Next</goto>");
    expect((await lint(cwd, "flow.zip", "--fix")).error).toMatchObject({ code: "lint/zip" });
  });

  it("shows the line of an unreadable workflow file", async () => {
    const cwd = await tempFolder();
    await writeFile(path.join(cwd, "flow.yaml"), "states:\n  START:\n    promt: x\n");

    const { stdout, code } = await lint(cwd, "flow.yaml");

    expect(stdout).toContain("flow.yaml:2:3: error:");
    expect(stdout).toContain("  2 |   START:\n    |   ^");
    expect(code).toBe(2);
  });

  it("does not show a line with a secret", async () => {
    const secret = `AKIAIOSFODNN7EXAMPLE`;
    const cwd = await flowOf({ "START.md": `Log in with ${secret}: <result>x</result>` });

    const { stdout } = await lint(cwd, "flow");

    expect(stdout).toContain("RAY602");
    expect(stdout).not.toContain(secret);
  });

  it.each([
    [["nowhere"], "workflow/not-found"],
    [["."], "workflow/not-a-workflow"],
    [["flow", "--format", "xml"], "cli/bad-flag"],
    [["flow", "--max-warnings", "few"], "cli/bad-flag"],
    [["flow", "--platform", "mac"], "cli/bad-flag"],
  ])("refuses by name: %j", async (words, code) => {
    const cwd = await flowOf({ "START.md": REVIEW });

    expect((await lint(cwd, ...words)).error).toMatchObject({ code });
  });

  it("checks a thousand states, and a prompt of 5 MB", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `S${String(index)}`);
    const states = names.map((name, index) => {
      const next = index === 999 ? "<result>x</result>" : `<goto>S${String(index + 1)}</goto>`;
      return [`${name}.md`, `Do it, then end with ${next}\n`] as const;
    });
    const long = "Read it all. {{x}} <goto>S0</goto>\n".repeat(150_000);
    const cwd = await flowOf({ ...Object.fromEntries(states), "START.md": long });

    const { stdout, code } = await lint(cwd, "flow", "--json");

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ errors: 0, warnings: 1 });
  });
});

describe("watchWorkflows", () => {
  it("checks at once, and again after a file has changed", async () => {
    const cwd = await flowOf({ "START.md": REVIEW });
    const done = new AbortController();
    let count = 0;
    const file = path.join(cwd, "flow", "START.md");

    await watchWorkflows(
      ["flow"],
      { cwd },
      async () => {
        count += 1;
        if (count === 3) done.abort();
        else await writeFile(file, String(count));
      },
      done.signal,
    );

    expect(count).toBe(3);
  });

  it("with --watch continues after a folder was missing or replaced", async () => {
    const cwd = await flowOf({ "START.md": REVIEW });
    const done = new AbortController();
    const folder = path.join(cwd, "flow");
    const acts = [
      () => rename(folder, path.join(cwd, "away")),
      async () => {
        await mkdir(path.join(cwd, "other"));
        await rename(path.join(cwd, "other"), folder);
      },
      () => writeFile(path.join(folder, "START.md"), "Again."),
    ];

    await watchWorkflows(
      ["flow"],
      { cwd },
      async () => {
        const act = acts.shift();
        if (act === undefined) done.abort();
        else await act();
      },
      done.signal,
    );

    expect(acts).toEqual([]);
  });
});
