/** The interpreter that the first line of a `.sh` file names; null if it is a shell or absent. */
export function foreignInterpreter(text: string): string | null {
  const [, line = ""] = /^\uFEFF?#![ \t]*([^\r\n]{1,200})/.exec(text) ?? [];
  const [first = "", ...words] = line.trim().split(/[ \t]+/);
  const named = /(?:^|\/)env$/.test(first)
    ? words.find((word) => !word.startsWith("-") && !word.includes("="))
    : first;
  const program = named?.split("/").at(-1) ?? "";
  return program === "" || SHELLS.test(program) ? null : program;
}

/** Shells whose scripts usually run under bash. */
const SHELLS = /^(?:ba|da|a|k|mk|z)?sh(?:[-.\d]*)$/;
