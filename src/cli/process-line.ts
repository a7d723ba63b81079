import { cut, printable } from "../observers/printable.ts";

/** `16984  node claude -p`: one line for people, cut where the command is long. */
export function processLine(found: { readonly pid: number; readonly command: string }): string {
  return printable(`${String(found.pid)}  ${cut(found.command, LONGEST)}`);
}

/** Characters of a command: what it is stands at its beginning. */
const LONGEST = 120;
