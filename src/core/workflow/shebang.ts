/** The program that the first line of a `.sh` file names, where it is no shell that bash can stand in for; else null. */
export function foreignInterpreter(text: string): string | null {
  const [, line = ""] = /^\uFEFF?#![ \t]*([^\r\n]{1,200})/.exec(text) ?? [];
  const [first = "", ...words] = line.trim().split(/[ \t]+/);
  const named = /(?:^|\/)env$/.test(first)
    ? words.find((word) => !word.startsWith("-") && !word.includes("="))
    : first;
  const program = named?.split("/").at(-1) ?? "";
  return program === "" || SHELLS.test(program) ? null : program;
}

/** What runs under bash as well, but for rare constructs. */
const SHELLS = /^(?:ba|da|a|k|mk|z)?sh(?:[-.\d]*)$/;
