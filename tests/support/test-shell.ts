import type { StreamOutput } from "../../src/cli/output.ts";
import type { Shell } from "../../src/cli/shell.ts";
import { plainStyle } from "../../src/console/style.ts";
import { thisSystem } from "../../src/wire/system/system.ts";

/** A shell that records output and exit code. */
export interface TestShell extends Shell {
  stdout(): string;
  stderr(): string;
  code(): number | null;
}

export const TEST_ACTOR = { user: "jane", host: "build-7", via: "command" } as const;

/** A test shell in this folder, with only this environment. */
export function testShell(cwd: string, env: Shell["env"] = {}): TestShell {
  const out = recorder();
  const err = recorder();
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
    actor: () => TEST_ACTOR,
    system: () => Promise.resolve(thisSystem),
    ask: null,
    terminal: null,
    command: [],
    detachedChild: null,
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

function recorder(): StreamOutput & { readonly text: () => string } {
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
