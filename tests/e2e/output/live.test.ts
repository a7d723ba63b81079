import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { itNeeds, onPath, PROC } from "../../support/needs.ts";
import { onPty, type PtyOptions } from "../../support/terminal/pty.ts";
import { refusal, resultScript, scene, waitForFile } from "../scene.ts";

const BIN = path.join(import.meta.dirname, "..", "..", "..", "bin", "raymond.js");
/** `script` of util-linux. */
const NEED = PROC.met ? onPath("script") : PROC;

/** A workflow in a project, and raymond on a terminal there. */
async function onTerminal(files: Readonly<Record<string, string>>) {
  const all = await scene(files);
  const { project } = all;
  return {
    ...all,
    /** A line of sh, in which `raymond` is the command. */
    on: (line: string, how: Partial<PtyOptions> = {}) =>
      onPty(`raymond() { '${process.execPath}' '${BIN}' "$@"; }; ${line}`, {
        cwd: project.dir,
        ...how,
        env: { ...project.env, ...how.env },
      }),
  };
}

const ASKING = {
  "w/START.md": "---\nallowed_transitions:\n  - { tag: ask, next: DONE }\n---\nAsk.",
  "w/DONE.sh": 'echo "<result>said $RAYMOND_RESULT</result>"\n',
  "w/w.sim.yaml":
    'states:\n  START.md:\n    - reply: "<ask next=\\"DONE\\" options=\\"yes | no\\">Ship it?</ask>"\n',
};
const TWO = {
  "w/START.sh": `echo "part one"; echo x >started\n${waitForFile("go", "echo '<goto>NEXT</goto>'\n")}`,
  "w/NEXT.sh": resultScript("ok"),
};
/** More than the buffers of a terminal and of a pipe hold, together with the next. */
const MANY_LINES = `for n in $(seq 6000); do echo "line $n"; done; echo '<goto>TO</goto>'\n`;

describe("the live view on a terminal", () => {
  itNeeds(NEED, "shows what an agent does, and leaves lines and the result alone", async () => {
    const { project, on } = await onTerminal(TWO);
    const terminal = on("raymond w --workflow-id one --budget 5");

    await terminal.shows(/> main {2}START\.sh {2}\d+s {2}part one\nrunning {2}\$0\.00 of \$5\.00/);
    await project.write("go", "");

    expect(await terminal.exit).toBe(0);
    const lines = terminal.lines();
    expect(lines.at(-1)).toBe("ok");
    expect(lines.at(-2)).toBe("completed: $0.00, 2 steps");
    expect(lines.join("\n")).not.toMatch(/^running|^s stop/m);
  });

  itNeeds(NEED, "asks in its place what an agent asks, and takes the answer there", async () => {
    const { on } = await onTerminal(ASKING);
    const terminal = on("raymond w --simulate");

    await terminal.shows(/^main> _/m);
    terminal.type("maybe\r");
    await terminal.shows(/"maybe" is not an option of this question/);
    await terminal.shows(/^main> maybe_/m);
    // Two of them would stop the run, if they were commands.
    terminal.type("ss");
    await terminal.shows(/^main> maybess_/m);
    terminal.type("\u0015yes\r");

    expect(await terminal.exit).toBe(0);
    expect(terminal.lines().at(-1)).toBe("said yes");
  });

  itNeeds(NEED, "s, pressed twice, stops after the step in flight", async () => {
    const { project, on } = await onTerminal(TWO);
    const terminal = on("raymond w --workflow-id one");
    await terminal.shows(/part one\nrunning/);

    terminal.type("s");
    await terminal.shows(/press s again to stop/);
    terminal.type("s");
    await terminal.shows(/one stops once 1 step in flight has ended\./);
    await project.write("go", "");

    expect(await terminal.exit).toBe(130);
    expect(terminal.lines().join("\n")).toMatch(/→ goto NEXT\.sh\ninterrupted: \$0\.00, 1 step\n/);
  });

  itNeeds(NEED, "Ctrl-C stops the run as ever, and the terminal is as it was", async () => {
    const { on } = await onTerminal(TWO);
    const terminal = on(
      'trap : INT; stty -a >before; raymond w; echo "code $?"; stty -a >after; cmp before after && echo same',
    );
    await terminal.shows(/part one\nrunning/);

    terminal.type("\u0003");

    await terminal.shows(/code 130\nsame/);
  });

  itNeeds(NEED, "fits a terminal of 20 columns", async () => {
    const { project, on } = await onTerminal(TWO);
    const terminal = on("raymond w", { columns: 20, rows: 12 });

    await terminal.shows(/^> main {2}part one\nrunning/m);
    await project.write("go", "");

    expect(await terminal.exit).toBe(0);
  });

  itNeeds(NEED, "does not wait for a terminal that is not read", async () => {
    const { project, on } = await onTerminal({
      "w/START.sh": MANY_LINES.replace("TO", "MORE"),
      "w/MORE.sh": MANY_LINES.replace("TO", "STILL"),
      "w/STILL.sh": MANY_LINES.replace("TO", "LAST"),
      "w/LAST.sh": `echo x >far; ${waitForFile("go", resultScript("ok"))}`,
    });
    const terminal = on("raymond w --verbose");
    terminal.hold();

    // It comes there though nothing of what it writes is taken.
    await project.fileWith("far");
    terminal.resume();
    await project.write("go", "");

    expect(await terminal.exit).toBe(0);
    expect(terminal.lines()).toContain("ok");
  });

  itNeeds(
    NEED,
    "shows plain lines with --plain, --quiet, in CI and on a dumb terminal",
    async () => {
      const { project, on } = await onTerminal(TWO);
      await project.write("go", "");
      const plain = [
        on("raymond w --plain"),
        on("raymond w --quiet"),
        on("raymond w", { env: { CI: "true" } }),
        on("TERM=dumb; export TERM; raymond w"),
      ];

      for (const terminal of plain) {
        expect(await terminal.exit).toBe(0);
        for (const drawn of ["\u001B[2K", "\u001B[J", "\u001B[?"]) {
          expect(terminal.written()).not.toContain(drawn);
        }
      }
    },
  );
});

describe("raymond attach", () => {
  itNeeds(NEED, "shows the same from any terminal, and leaves the run alone", async () => {
    const { project, start, on } = await onTerminal(TWO);
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    const [here, there] = [on("raymond attach"), on("raymond attach one")];

    for (const terminal of [here, there]) {
      await terminal.shows(
        /attached to one, run by process \d+ on \S+\n[\s\S]*START\.sh\n-+\n> main {2}START\.sh/,
      );
    }
    here.type("q");
    expect(await here.exit).toBe(0);
    expect(here.lines().at(-1)).toBe("one continues. Watch it again with: raymond attach one");
    await project.write("go", "");

    expect(await there.exit).toBe(0);
    expect(there.lines().slice(-2)).toEqual(["completed: $0.00, 2 steps", "ok"]);
    expect(await first.exit).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  itNeeds(NEED, "answers a question of a run of another process", async () => {
    const { start, on } = await onTerminal(ASKING);
    const first = start("w --simulate --on-ask wait --workflow-id one");
    await first.waitForStderr(/Ship it/);
    const terminal = on("raymond attach one");
    await terminal.shows(/press a, or run: raymond answer one TEXT/);

    terminal.type("a");
    await terminal.shows(/^main> _/m);
    terminal.type("no\r");

    expect(await terminal.exit).toBe(0);
    expect(terminal.lines().at(-1)).toBe("said no");
    expect(await first.exit).toMatchObject({ stdout: "said no\n" });
  });

  it("prints lines where there is no terminal, and ends as the run does", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": `echo x >started\n${waitForFile("go", "exit 3\n")}`,
    });
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    const attached = start("attach one");
    await attached.waitForStderr(/^attached to one, run by process \d+ on \S+\n.*START\.sh/);
    await project.write("go", "");

    const { exitCode, stderr } = await first.exit;
    expect(exitCode).toBe(1);
    expect(await attached.exit).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringContaining(stderr.slice(stderr.indexOf("! failed"))) as string,
    });
    expect(await raymond("attach")).toMatchObject({ exitCode: 1 });
  });

  it("detaches with Ctrl-C also without a terminal, and the run continues", async () => {
    const { project, start } = await scene(TWO);
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    const attached = start("attach one");
    await attached.waitForStderr(/START\.sh/);
    attached.kill("SIGINT");

    expect(await attached.exit).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringMatching(
        /\none continues. Watch it again with: raymond attach one\n$/,
      ) as string,
    });
    await project.write("go", "");
    expect(await first.exit).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("shows the end of a run that has ended, with its result and its exit code", async () => {
    const { raymond } = await scene({ "w/START.sh": resultScript("ok") });
    await raymond("w --workflow-id one");

    expect(await raymond("attach")).toMatchObject({
      exitCode: 0,
      stdout: "ok\n",
      stderr: expect.stringContaining("completed: $0.00, 1 step") as string,
    });
    const events = (await raymond("attach --json")).stdout.trim().split("\n");
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type).at(-1)).toBe(
      "run.ended",
    );
  });

  it("reports that no process runs it after a kill", async () => {
    const { project, start } = await scene(TWO);
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    const attached = start("attach");
    await attached.waitForStderr(/START\.sh/);
    first.kill("SIGKILL");
    await project.write("go", "");

    expect(await attached.exit).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        "No process runs one any more. Resume with: raymond resume one",
      ) as string,
    });
  });

  it("reports that the state folder was deleted", async () => {
    const { project, start } = await scene(TWO);
    const first = start("w --workflow-id one --state-dir apart");
    await project.fileWith("started");
    const attached = start("attach --state-dir apart");
    await attached.waitForStderr(/START\.sh/);
    await rm(path.join(project.dir, "apart"), { recursive: true });

    expect(refusal(await attached.exit)).toBe(
      "error: The files of run one were deleted while you were watching it. [run/gone]\nhint: If a process still runs it, its next save restores the state file. Check with: raymond --state-dir apart list",
    );
    expect((await attached.exit).exitCode).toBe(7);
    await project.write("go", "");
    expect((await first.exit).exitCode).toBe(0);
  });

  it("reports unknown and ambiguous runs", async () => {
    const { project, raymond, start } = await scene(TWO);
    expect(refusal(await raymond("attach nothing"))).toContain('Run "nothing" not found');
    const [one, two] = [start("w --workflow-id one"), start("w --workflow-id two")];
    await one.waitForStderr(/START\.sh/);
    await two.waitForStderr(/START\.sh/);

    const refused = await raymond("attach");
    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toMatch(
      /error: 2 runs are in progress: (one, two|two, one)\..*\nhint: Name one/,
    );
    await project.write("go", "");
    await Promise.all([one.exit, two.exit]);
  });
});
