import path from "node:path";
import { describe, expect } from "vitest";
import { itNeeds, onPath, PROC } from "../support/needs.ts";
import { onPty, type PtyOptions } from "../support/pty.ts";
import { resultScript, scene, waitForFile } from "./scene.ts";

const BIN = path.join(import.meta.dirname, "..", "..", "bin", "raymond.js");
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
    expect(lines.join("\n")).not.toMatch(/^running|^a answer/m);
  });

  itNeeds(NEED, "asks in its place what an agent asks, and takes the answer there", async () => {
    const { on } = await onTerminal(ASKING);
    const terminal = on("raymond w --simulate");

    await terminal.shows(/^main> _/m);
    terminal.type("maybe\r");
    await terminal.shows(/"maybe" is no answer to this question/);
    terminal.type("a");
    await terminal.shows(/^main> _/m);
    terminal.type("yes\r");

    expect(await terminal.exit).toBe(0);
    expect(terminal.lines().at(-1)).toBe("said yes");
  });

  itNeeds(NEED, "s, pressed twice, stops after the step in flight", async () => {
    const { project, on } = await onTerminal(TWO);
    const terminal = on("raymond w --workflow-id one");
    await terminal.shows(/part one\nrunning/);

    terminal.type("s");
    await terminal.shows(/s once more: stop/);
    terminal.type("s");
    await terminal.shows(/one stops when 1 step in flight has ended\./);
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

  itNeeds(NEED, "waits for no terminal that nobody reads", async () => {
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
    terminal.goOn();
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
