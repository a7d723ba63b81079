import type { Command, Option } from "commander";

/** The words before the cursor, parsed like a command line. */
export interface ReadWords {
  /** The command or nested command. */
  readonly command: Command;
  /** The option whose value is completed; null for another word. */
  readonly option: Option | null;
  readonly isFlag: boolean;
  /** The part of the completed word before the cursor. */
  readonly partial: string;
  /** A prefix of all candidates: `--format=` if the value is in one word with it. */
  readonly prefix: string;
  /** The arguments without the names of commands. */
  readonly named: readonly string[];
  /** Values by the names of their flags; empty for a flag without value. */
  readonly given: ReadonlyMap<string, string>;
}

export function readWords(root: Command, words: readonly string[]): ReadWords {
  const last = words.at(-1) ?? "";
  // bash splits words at =, and passes it as a word.
  const before = words.slice(0, -1).filter((word) => word !== "=");
  const typed = last === "=" ? "" : last;
  let command = root;
  let open: Option | null = null;
  let isPlain = false;
  const named: string[] = [];
  const given = new Map<string, string>();
  for (const word of before) {
    if (open !== null && !(open.optional && word.startsWith("-"))) {
      given.set(open.name(), word);
      open = open.variadic ? open : null;
    } else if (word === "--" && !isPlain) {
      isPlain = true;
      open = null;
    } else if (word.startsWith("-") && !isPlain) {
      const [flag = "", value] = word.split(/=(.*)/s);
      const option = optionOf(command, flag);
      const takesValue = option !== null && (option.required || option.optional);
      if (option !== null && value !== undefined) given.set(option.name(), value);
      open = value === undefined && takesValue ? option : null;
      if (option !== null && !takesValue) given.set(flag.slice(2), "");
    } else {
      const sub: Command | undefined =
        named.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (sub === undefined) named.push(word);
      else command = sub;
    }
  }
  const read = { command, isFlag: false, prefix: "", named, given };
  const [, flag, value = ""] = /^(--[\w-]+)=(.*)$/s.exec(typed) ?? [];
  const joined = flag === undefined || isPlain ? null : optionOf(command, flag);
  if (joined !== null && (joined.required || joined.optional)) {
    return { ...read, option: joined, partial: value, prefix: `${flag ?? ""}=` };
  }
  const isFlag = typed.startsWith("-") && !isPlain;
  const option = open?.optional === true && typed.startsWith("-") ? null : open;
  return { ...read, option, isFlag: option === null && isFlag, partial: typed };
}

function optionOf(command: Command, flag: string): Option | null {
  return command.options.find(({ long, short }) => long === flag || short === flag) ?? null;
}
