import { excerpt } from "./excerpt.ts";

/**
 * What is wrong with the name of an attribute that becomes a variable of prompts
 * and scripts, as a sentence; `null` where nothing is. A text that a model wrote
 * must not be able to change what a script executes (docs/protocol.md, "Reserved
 * attribute names").
 */
export function attributeNameProblem(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return `"${excerpt(name)}" is not the name of an attribute: letters, digits and _ are allowed, and no digit at the start.`;
  }
  const upper = name.toUpperCase();
  if (WORDS_OF_THE_PROTOCOL.includes(upper)) {
    return `"${excerpt(name)}" cannot be the name of an attribute: the protocol uses this word itself.`;
  }
  const reserved =
    RESERVED_NAMES.includes(upper) ||
    RESERVED_PREFIXES.some((prefix) => upper.startsWith(prefix)) ||
    upper.endsWith("_PROXY");
  return reserved
    ? `"${excerpt(name)}" cannot be the name of an attribute: as an environment variable it could change what a script executes.`
    : null;
}

/** What is wrong with the value of such an attribute, as a sentence; `null` where nothing is. */
export function attributeValueProblem(value: string): string | null {
  if (value.includes("\0")) return "The value of an attribute cannot hold a NUL character.";
  if (isLongerThan(value, MAX_VALUE_BYTES)) {
    return "The value of an attribute cannot be longer than 64 KiB.";
  }
  return null;
}

/**
 * What makes a value unfit for a `.bat` script, which would execute parts of it,
 * as a sentence; `null` where nothing does.
 */
export function batchValueProblem(value: string): string | null {
  const [found] = /[%&|<>^"!\r\n]/.exec(value) ?? [];
  if (found === undefined) return null;
  const what = found === "\r" || found === "\n" ? "a line end" : found;
  return `The value of an attribute for a .bat script cannot hold ${what}.`;
}

/** The longest value of an attribute, in bytes of UTF-8. */
const MAX_VALUE_BYTES = 64 * 1024;

function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

const WORDS_OF_THE_PROTOCOL: readonly string[] = ["RESULT", "RETURN", "TARGET", "TAG"];

const RESERVED_NAMES: readonly string[] = [
  ...["PATH", "HOME", "SHELL", "SHELLOPTS", "BASHOPTS", "IFS", "ENV", "BASH_ENV"],
  ...["PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT_COMMAND", "CDPATH", "TMPDIR"],
  ...["EDITOR", "VISUAL", "PAGER", "COMSPEC", "PATHEXT", "CLAUDECODE"],
];

const RESERVED_PREFIXES: readonly string[] = [
  ...["RAYMOND_", "LD_", "DYLD_", "BASH_", "GIT_", "SSH_", "PYTHON", "PERL", "RUBY"],
  ...["NODE_", "NPM_", "LESS", "ANTHROPIC_", "CLAUDE_"],
];
