import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Project, tempProject } from "../support/project.ts";

const ROOT = path.join(import.meta.dirname, "../..");

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}

interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly default?: string; readonly required?: true }>
  >;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const source = await readFile(path.join(ROOT, "action.yml"), "utf8");
const action = parse(source) as Action;

/** Inputs and results of a job. */
interface Job {
  readonly code: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly log: string;
}

/** Executes the steps of the action like a runner: expressions first, then bash with the files of GITHUB_*. */
async function job(
  project: Project,
  number: number,
  given: Readonly<Record<string, string>>,
): Promise<Job> {
  const temp = path.join(path.dirname(project.dir), `runner-${String(number)}`);
  const bin = path.join(temp, "bin");
  await mkdir(bin, { recursive: true });
  const cli = path.join(ROOT, "bin/raymond.js");
  await script(path.join(bin, "raymond"), `exec node "${cli}" "$@"`);
  await script(path.join(bin, "npm"), `echo "npm $*" >> "${temp}/npm.log"`);
  await script(path.join(bin, "node"), `exec "${process.execPath}" "$@"`);
  const github = {
    workflow: "nightly",
    job: "review",
    run_id: "1000",
    run_attempt: String(number),
    action_path: ROOT,
  };
  const outputs: Record<string, Readonly<Record<string, string>>> = {};
  const value = (name: string): string => {
    const [of = "", ...rest] = name.split(".");
    if (of === "github") return github[rest[0] as keyof typeof github];
    if (of === "inputs") {
      const input = rest[0] ?? "";
      return given[input] ?? filled(action.inputs[input]?.default ?? "");
    }
    expect(name).toMatch(/^steps\.\w+\.outputs\.[\w-]+$/);
    return outputs[rest[0] ?? ""]?.[rest[2] ?? ""] ?? "";
  };
  const filled = (text: string) =>
    text.replace(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => value(name));
  let code = 0;
  let log = "";
  const summary = path.join(temp, "summary.md");
  for (const step of action.runs.steps) {
    if (step.if?.includes("inputs.cache-key != ''") === true && value("inputs.cache-key") === "")
      continue;
    if (code !== 0 && step.if?.includes("always()") !== true) continue;
    if (step.uses !== undefined) {
      const paths = filled(step.with?.["path"] ?? "")
        .trim()
        .split("\n");
      await cached(step.uses, paths, project);
      continue;
    }
    const file = path.join(temp, "step.sh");
    await writeFile(file, step.run ?? "");
    const out = path.join(temp, "output");
    await writeFile(out, "");
    const env = {
      ...project.env,
      ...Object.fromEntries(
        Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]),
      ),
      ...{ GITHUB_OUTPUT: out, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp },
      PATH: [bin, ...foldersWithout("claude", project.env["PATH"] ?? "")].join(path.delimiter),
    };
    const cwd = path.join(project.dir, filled(step["working-directory"] ?? "."));
    const ended = await bash(file, cwd, env);
    log += ended.log;
    code = ended.code;
    if (step.id !== undefined) outputs[step.id] = readOutputs(await readFile(out, "utf8"));
  }
  const results = Object.entries(action.outputs).map(
    ([name, of]) => [name, filled(of.value)] as const,
  );
  return {
    code,
    outputs: Object.fromEntries(results),
    summary: await readFile(summary, "utf8").catch(() => ""),
    log: log + (await readFile(path.join(temp, "npm.log"), "utf8").catch(() => "")),
  };
}

/** The folders of a PATH without this program. */
function foldersWithout(program: string, folders: string): readonly string[] {
  return folders.split(path.delimiter).filter((folder) => !existsSync(path.join(folder, program)));
}

async function script(file: string, text: string): Promise<void> {
  await writeFile(file, `#!/bin/bash\n${text}\n`, { mode: 0o755 });
}

/** The cache is a folder next to the project. A job starts without the files of the previous one. */
async function cached(uses: string, paths: readonly string[], { dir }: Project): Promise<void> {
  const restores = uses.startsWith("actions/cache/restore@");
  expect(restores || uses.startsWith("actions/cache/save@")).toBe(true);
  for (const [index, each] of paths.entries()) {
    const [here, kept] = [
      path.join(dir, each),
      path.join(path.dirname(dir), "cache", String(index)),
    ];
    const [from, to] = restores ? [kept, here] : [here, kept];
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true }).catch(() => undefined);
  }
}

function bash(file: string, cwd: string, env: Readonly<Record<string, string>>) {
  return new Promise<{ readonly code: number; readonly log: string }>((resolve, reject) => {
    // Arguments of GitHub for `shell: bash`.
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", file], { cwd, env });
    let log = "";
    const keep = (text: Buffer) => {
      log += text.toString();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject);
    // Wait until all child processes have closed the output: none may remain.
    child.on("close", (code) => {
      resolve({ code: code ?? -1, log });
    });
  });
}

/** Parses outputs like a runner: `name=value`, or `name<<end`, lines, `end`. */
function readOutputs(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, name = "", how, rest = ""] = /^([\w-]+)(=|<<)(.*)$/.exec(lines[at] ?? "") ?? [];
    if (how === "=") found[name] = rest;
    if (how !== "<<") continue;
    const end = lines.indexOf(rest, at + 1);
    found[name] = lines.slice(at + 1, end).join("\n");
    at = end;
  }
  return found;
}

const HELLO =
  'echo "<result>$who: $RAYMOND_RESULT"; echo "status<<EOF"; echo "exit-code=9</result>"';
const WAIT = '[ -e go ] || sleep 600; echo "<result>continued</result>"';

describe("the GitHub action", () => {
  it("never interpolates inputs into scripts", () => {
    for (const { run, shell } of action.runs.steps) {
      expect(run ?? "").not.toContain("${{");
      expect(run === undefined ? "bash" : shell).toBe("bash");
    }
  });

  it("documents all inputs and outputs", async () => {
    const page = await readFile(path.join(ROOT, "docs/github-action.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);

    expect(rows).toEqual([...Object.keys(action.inputs), ...Object.keys(action.outputs)]);
  });

  it("runs a workflow, sets its outputs and adds a report to the summary", async () => {
    const project = await tempProject({ "w/START.sh": HELLO });
    const ended = await job(project, 1, {
      ...{ workflow: "w", input: "$(touch injected) `id`", vars: "who=she; touch injected" },
      ...{ args: "--max-steps=5\n", "claude-code-version": "2.1.330" },
    });

    expect(ended).toMatchObject({
      code: 0,
      outputs: {
        ...{ "run-id": "gh-1000-1", status: "completed", "exit-code": "0", resumed: "false" },
        ...{ "cost-usd": "0" },
        result: "she; touch injected: $(touch injected) `id`\nstatus<<EOF\nexit-code=9",
      },
    });
    expect(ended.summary).toMatch(/^# gh-1000-1: completed/);
    expect(ended.log).toContain(`npm install --global --no-fund --no-audit ${ROOT}`);
    expect(ended.log).toContain("@anthropic-ai/claude-code@2.1.330");
    expect(await project.list(".")).not.toContain("injected");
  });

  it("stops a run after timeout-minutes and resumes it in the next job", async () => {
    const project = await tempProject({ "w/START.sh": WAIT });
    const cut = await job(project, 1, { workflow: "w", "timeout-minutes": "0.01" });
    expect(cut).toMatchObject({ code: 143, outputs: { status: "interrupted", result: "" } });

    await rm(path.join(project.dir, ".raymond"), { recursive: true });
    await project.write("go", "");
    const next = await job(project, 2, { workflow: "w", vars: "who=ignored" });
    expect(next).toMatchObject({
      code: 0,
      outputs: { "run-id": "gh-1000-1", resumed: "true", status: "completed", result: "continued" },
    });
    const third = await job(project, 3, { workflow: "w" });
    expect(third.outputs).toMatchObject({ "run-id": "gh-1000-3", resumed: "false" });
  });

  it("fails like the run, except for the specified exit codes", async () => {
    const asks = `echo '<ask next="START">Ship it?</ask>'`;
    const project = await tempProject({ "w/START.sh": asks });
    const failed = await job(project, 1, { workflow: "w" });
    const taken = await job(project, 2, { workflow: "w", "ok-exit-codes": "0 3" });

    expect(failed).toMatchObject({ code: 3, outputs: { status: "paused", "exit-code": "3" } });
    expect(failed.log).toContain("::error::raymond exited with 3");
    expect(taken).toMatchObject({ code: 0, outputs: { resumed: "true", "run-id": "gh-1000-1" } });
  });

  it("uses the checkout's config.toml only with trust-project", async () => {
    const project = await tempProject({
      "w/START.sh": "echo '<result>done</result>'",
      ".raymond/config.toml": '[raymond]\nnotify = "touch owned"\n',
    });
    await execa("git", ["init", "--quiet", "."], { cwd: project.dir });
    await execa("git", ["add", "--force", "."], { cwd: project.dir });
    const refused = await job(project, 1, { workflow: "w" });
    const answered = await job(project, 2, { workflow: "w", "trust-project": "yes" });
    expect(await project.list(".")).not.toContain("owned");
    const trusted = await job(project, 3, { workflow: "w", "trust-project": "true" });

    expect(refused).toMatchObject({ code: 2, outputs: { status: "" } });
    expect(refused.log).toContain("project/untrusted");
    expect(answered.code).toBe(2);
    expect(trusted).toMatchObject({ code: 0, outputs: { status: "completed", result: "done" } });
    expect(await project.list(".")).toContain("owned");
  });

  it("reports errors before a run exists", async () => {
    const project = await tempProject({});
    const ended = await job(project, 1, {
      ...{ workflow: "none", "claude-code-version": "none" },
    });

    expect(ended).toMatchObject({
      code: 7,
      outputs: { "exit-code": "7", status: "" },
      summary: expect.stringMatching(/^### raymond did not start a run[\s\S]*error: /) as string,
    });
    expect(ended.log).toContain("workflow/not-found");
    expect(ended.log).not.toContain("claude-code");
  });
});
