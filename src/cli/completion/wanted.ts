import type { Argument, Command, Option } from "commander";

/** What may stand where the cursor is. */
export type Wanted =
  | { readonly kind: "flag"; readonly command: Command }
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "argument"; readonly command: Command; readonly argument: Argument }
  | { readonly kind: "value"; readonly command: Command; readonly option: Option }
  | { readonly kind: "nothing" };

/** The words before the cursor, read as the command line would read them. */
export interface ReadWords {
  readonly wanted: readonly Wanted[];
  /** What stands before the cursor of the word that is completed. */
  readonly partial: string;
  /** What candidates begin with besides: `--format=` where the value stands in one word with it. */
  readonly prefix: string;
  /** The words that are no flags and no values of flags, without the command. */
  readonly named: readonly string[];
  /** Values that were given, by the names of their flags; of a flag without one it is empty. */
  readonly given: ReadonlyMap<string, string>;
}

/** What can be meant by the last of these words, of the command tree of `root`. */
export function readWords(root: Command, words: readonly string[]): ReadWords {
  const last = words.at(-1) ?? "";
  // bash breaks words at =, and hands it over as a word.
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
      if (option !== null && value !== undefined) given.set(option.name(), value);
      open = value === undefined && option !== null && takesValue(option) ? option : null;
      if (option !== null && !takesValue(option)) given.set(flag.slice(2), "");
    } else {
      const sub: Command | undefined =
        named.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (sub === undefined) named.push(word);
      else command = sub;
    }
  }
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(typed) ?? [];
  const joined = flag === undefined || isPlain ? null : optionOf(command, flag);
  if (joined !== null && takesValue(joined)) {
    const wanted = [{ kind: "value", command, option: joined } as const];
    return { wanted, partial: value ?? "", prefix: `${flag ?? ""}=`, named, given };
  }
  const rest = { partial: typed, prefix: "", named, given };
  if (open !== null && !(open.optional && typed.startsWith("-"))) {
    const value: Wanted = { kind: "value", command, option: open };
    const more = open.optional ? placesOf(command, named.length) : [];
    return { wanted: [value, ...more], ...rest };
  }
  if (typed.startsWith("-") && !isPlain) return { wanted: [{ kind: "flag", command }], ...rest };
  return { wanted: placesOf(command, named.length), ...rest };
}

/** What may stand there that is no flag. */
function placesOf(command: Command, named: number): readonly Wanted[] {
  const all = command.registeredArguments;
  const argument = all[named] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  const places: Wanted[] =
    command.commands.length > 0 && named === 0 ? [{ kind: "command", command }] : [];
  if (argument !== undefined) places.push({ kind: "argument", command, argument });
  return places.length === 0 ? [{ kind: "nothing" }] : places;
}

function optionOf(command: Command, flag: string): Option | null {
  return command.options.find(({ long, short }) => long === flag || short === flag) ?? null;
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
