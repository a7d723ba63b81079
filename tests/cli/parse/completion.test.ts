import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { completionScript } from "../../../src/cli/completion/scripts.ts";
import { runCommandLine } from "../../../src/cli/parse/tree.ts";
import { tempFolder } from "../../support/folders.ts";
import { itNeeds, onPath } from "../../support/needs.ts";
import { testShell } from "../../support/test-shell.ts";

const FLOW = "states:\n  START:\n    prompt: x\n  REVIEW:\n    prompt: y\n";

/** A folder with a workflow in one file and one in a folder, with a blank in its name. */
async function project(): Promise<string> {
  const cwd = await tempFolder();
  await writeFile(path.join(cwd, "flow.yaml"), FLOW);
  await mkdir(path.join(cwd, "my flow"));
  await writeFile(path.join(cwd, "my flow", "START.md"), "x");
  return cwd;
}

/** What is offered for these words, of which the last one is under the cursor. */
async function offered(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const shell = testShell(cwd);
  const asked = [...words.slice(0, -1), `:${words.at(-1) ?? ""}`];
  await runCommandLine(["node", "raymond", "completion", "words", "--", ...asked], shell);
  return shell
    .stdout()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t")[0] ?? "");
}

describe("raymond completion words", () => {
  it("offers commands and workflows", async () => {
    const cwd = await project();

    expect(await offered(cwd, "")).toEqual(
      expect.arrayContaining(["lint", "resume", "help", "flow.yaml", "my flow/"]),
    );
    expect(await offered(cwd, "li")).toEqual(["list", "lint"]);
    expect(await offered(cwd, "run", "")).toEqual(["flow.yaml", "my flow/"]);
    expect(await offered(cwd, "run", "my flow/")).toEqual(["my flow/START.md"]);
  });

  it.each([
    [
      ["lint", "--f"],
      ["--format", "--fix"],
    ],
    [["lint", "--format", "s"], ["sarif"]],
    [["lint", "--format=s"], ["--format=sarif"]],
    [["lint", "--format", "=", "s"], ["sarif"]],
    [["flow.yaml", "--eff"], ["--effort"]],
    [["flow.yaml", "--effort", "x"], ["xhigh"]],
    [
      ["resume", "--lost-session", ""],
      ["fail", "fresh"],
    ],
    [["flow.yaml", "--no-deb"], ["--no-debug"]],
    [["flow.yaml", "--start", "R"], ["REVIEW"]],
    [
      ["run", "flow.yaml", "--start", ""],
      ["REVIEW", "START"],
    ],
    [["graph", "--format", "svg", "--j"], ["--json"]],
    [["new", "state", "X", "--in", "my flow", "--to", ""], ["START"]],
    [["init", "ral"], ["ralph"]],
    [["completion", "z"], ["zsh"]],
    [["help", "retr"], ["retry"]],
    [["fleet", "li"], ["limits"]],
    [["fleet", "limits", "se"], ["set"]],
    [["fleet", "schedules", "pa"], ["pause"]],
    [
      ["lint", "--output", "x", ""],
      ["flow.yaml", "my flow/"],
    ],
    [["flow.yaml", "--debug-nothing", "--start", "Q"], []],
    [["status", "--state-dir", ""], [":files"]],
    [["list", "more", ""], []],
    [["--start", "R"], []],
  ])("offers for %j: %j", async (words, expected) => {
    expect(await offered(await project(), ...words)).toEqual(expected);
  });

  it("offers the runs of the project, with their status, also by --state-dir", async () => {
    const cwd = await project();
    const simulated = testShell(cwd);
    await writeFile(
      path.join(cwd, "flow.yaml.sim.yaml"),
      "states:\n  START:\n    - reply: <result>x</result>\n",
    );
    const call = "flow.yaml --simulate --workflow-id mine --quiet";
    await runCommandLine(["node", "raymond", ...call.split(" ")], simulated);

    expect(await offered(cwd, "status", "")).toEqual(["latest", "mine"]);
    expect(await offered(cwd, "--resume", "mi")).toEqual(["mine"]);
    expect(await offered(cwd, "graph", "--run", "m")).toEqual(["mine"]);
    expect(await offered(cwd, "prune", "mine", "l")).toEqual(["latest"]);
    expect(await offered(cwd, "status", "--state-dir", "elsewhere", "")).toEqual([]);
    expect(await offered(cwd, "rerun", "mi")).toEqual(["mine"]);
    expect(await offered(cwd, "rerun", "mine", "")).toEqual(["START"]);
    expect(await offered(cwd, "rerun", "unknown", "")).toEqual([]);
  });

  it("rejects an unknown shell", async () => {
    const words = ["node", "raymond", "completion", "tcsh"];

    await expect(runCommandLine(words, testShell("/"))).rejects.toMatchObject({
      message: expect.stringContaining("bash, zsh, fish, powershell") as string,
    });
  });
});

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

/** Runs a script in a shell that finds raymond on its PATH, in a project. */
async function inShell(shell: string, flags: readonly string[], lines: string): Promise<string> {
  const cwd = await project();
  const bin = await tempFolder();
  const program = path.join(bin, "raymond");
  const main = path.join(ROOT, "src/cli/main.ts");
  const tsx = import.meta.resolve("tsx");
  await writeFile(
    program,
    `#!/bin/sh\nexec '${process.execPath}' --import '${tsx}' '${main}' "$@"\n`,
  );
  await chmod(program, 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: cwd, TERM: "dumb" };
  return new Promise((resolve, reject) => {
    execFile(shell, [...flags, lines], { cwd, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${shell}: ${stderr}${stdout}`));
    });
  });
}

describe("the scripts", () => {
  itNeeds(onPath("bash"), "complete in bash", async () => {
    const ask = (words: string) =>
      `COMP_WORDS=(raymond ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _raymond; printf '%s\\n' "\${COMPREPLY[@]}" --`;
    const script = completionScript("bash");

    const said = await inShell(
      "bash",
      ["--norc", "-c"],
      `${script}
${ask("exp")}
${ask("run m")}
${ask("flow.yaml --start ''")}
${ask("list --state-dir f")}`,
    );

    expect(said).toBe("explain\n--\nmy\\ flow/\n--\nREVIEW\nSTART\n--\nflow.yaml\n--\n");
  });

  itNeeds(onPath("zsh"), "complete in zsh", async () => {
    const ask = (words: string) => `words=(raymond ${words}); CURRENT=$#words; _raymond; echo --`;

    // What zsh gives to its completion alone, in the smallest form.
    const said = await inShell(
      "zsh",
      ["-f", "-c"],
      `compdef() { : }
_files() { echo files }
compadd() { print -l -- "\${(P@)@[-1]}" }
${completionScript("zsh")}
${ask("exp")}
${ask("run m")}
${ask("flow.yaml --start ''")}
${ask("list --state-dir f")}`,
    );

    expect(said).toBe("explain\n--\nmy flow/\n--\nREVIEW\nSTART\n--\nfiles\n--\n");
  });

  itNeeds(onPath("fish"), "complete in fish", async () => {
    const said = await inShell(
      "fish",
      ["--no-config", "-c"],
      `${completionScript("fish")}
complete -C 'raymond exp'
complete -C 'raymond run m'
complete -C 'raymond flow.yaml --start '
complete -C 'raymond list --state-dir f'`,
    );

    expect(said.split("\n").map((line) => line.split("\t")[0])).toEqual([
      ...["explain", "my flow/", "REVIEW", "START", "flow.yaml", ""],
    ]);
  });
});
