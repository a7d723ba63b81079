import type { StreamOutput } from "../../src/cli/output.ts";
import type { Shell } from "../../src/cli/shell.ts";
import { plainStyle } from "../../src/observers/style.ts";
import { thisSystem } from "../../src/runs/wire/system.ts";

/** A shell that keeps what is printed, and what raymond would have ended with. */
export interface KeepingShell extends Shell {
  stdout(): string;
  stderr(): string;
  code(): number | null;
}

/** A shell in this folder, with nothing in its environment but what is given. */
export function keepingShell(cwd: string, env: Shell["env"] = {}): KeepingShell {
  const out = keep();
  const err = keep();
  let code: number | null = null;
  return {
    cwd,
    env,
    out,
    err,
    style: plainStyle,
    asCalled: (hint) => hint,
    columns: null,
    outColumns: null,
    now: () => Date.now(),
    system: () => Promise.resolve(thisSystem),
    ask: null,
    terminal: null,
    command: [],
    onItsOwn: null,
    foreground: null,
    readStdin: () => Promise.resolve(""),
    exit: (wanted) => {
      code = wanted;
    },
    stdout: out.text,
    stderr: err.text,
    code: () => code,
  };
}

function keep(): StreamOutput & { readonly text: () => string } {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  return {
    write,
    line: (line) => {
      write(`${line}\n`);
    },
    flush: () => Promise.resolve(),
    problem: () => null,
    isClosed: () => false,
    text: () => text,
  };
}
