import * as z from "zod/mini";
import { TIMED, text } from "../../clients/simulation/schema.ts";
import { readScripted, type ScriptedReply } from "../../clients/simulation/script.ts";
import { type LocatedYaml, type Path, readAs } from "../../clients/simulation/yaml.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { type Pattern, parsePattern } from "./pattern.ts";
import { type States, stateAt } from "./states.ts";

/** What a script does instead of running. */
export interface ScriptedEnd {
  readonly output: string;
  readonly errors: string;
  readonly exitCode: number;
  readonly delayMs: number;
  readonly times: number | "always";
  /** What is answered where it asks a person; null: nothing, and the run stops. */
  readonly answer: string | null;
}

/** One item of a state's list: for which calls, and what happens then. */
export interface GivenItem {
  /** What the prompt that is sent, or the payload that a script is handed, has to hold; null: any. */
  readonly when: Pattern | null;
  readonly act:
    | { readonly kind: "prompt"; readonly reply: ScriptedReply }
    | { readonly kind: "script"; readonly end: ScriptedEnd };
}

/** What one state does in a test, call by call. */
export interface GivenState {
  /** Where it begins in the file: 1 is the first line. */
  readonly line: number;
  readonly items: readonly GivenItem[];
}

export type Given = ReadonlyMap<StateName, GivenState>;

/** Reads the lists below `states:`; nothing where the path leads to nothing. */
export function readGiven(yaml: LocatedYaml, path: Path, states: States): Given {
  const given = new Map<StateName, GivenState>();
  if (yaml.value(path) === undefined) return given;
  for (const key of Object.keys(yaml.section(path))) {
    const at = [...path, key];
    const name = stateAt(yaml, at, key, states);
    if (given.has(name)) throw yaml.fault(at, `duplicate ${name}.`);
    given.set(name, { line: yaml.placeOf(at).line, items: readItems(yaml, at, name) });
  }
  return given;
}

function readItems(yaml: LocatedYaml, path: Path, name: StateName): readonly GivenItem[] {
  const list = yaml.value(path);
  if (!Array.isArray(list) || list.length === 0) {
    const noun = stateKind(name) === "prompt" ? "replies" : "outputs";
    throw yaml.fault(path, `a state needs a list of ${noun}, with at least one.`);
  }
  return list.map((_, index) => {
    const at = [...path, index];
    const item = readItem(yaml, at, name);
    if (item.when === null && timesOf(item) === "always" && index < list.length - 1) {
      throw yaml.fault([...path, index + 1], 'nothing after "times: always" is ever reached.');
    }
    return item;
  });
}

function readItem(yaml: LocatedYaml, path: Path, name: StateName): GivenItem {
  switch (stateKind(name)) {
    case "prompt": {
      const reply = readScripted(yaml, path, ["when"]);
      return { when: readWhen(yaml, path), act: { kind: "prompt", reply } };
    }
    case "script": {
      yaml.section(path, Object.keys(scriptSchema.shape));
      const {
        output,
        errors,
        exit: exitCode,
        delay: delayMs,
        times,
        answer = null,
      } = readAs(yaml, path, scriptSchema);
      const end = { output, errors, exitCode, delayMs, times, answer };
      return { when: readWhen(yaml, path), act: { kind: "script", end } };
    }
  }
}

/** What a test may say of a pattern, before it is read as one. */
export const whenSchema = text;

/** One item of a script's list, as written. */
export const scriptSchema = z.strictObject({
  when: z.optional(whenSchema),
  output: z._default(text, ""),
  errors: z._default(text, ""),
  answer: z.optional(text),
  exit: z._default(z.int("an exit code is expected").check(z.minimum(0), z.maximum(255)), 0),
  ...TIMED,
});

function readWhen(yaml: LocatedYaml, path: Path): Pattern | null {
  const written = yaml.value([...path, "when"]);
  return written === undefined ? null : patternAt(yaml, [...path, "when"], written);
}

/** The pattern at a path. */
export function patternAt(yaml: LocatedYaml, path: Path, written: unknown): Pattern {
  if (typeof written !== "string" || written === "") {
    throw yaml.fault(path, "a text is expected, or a /regular expression/; put it in quotes.");
  }
  const pattern = parsePattern(written);
  if (pattern === null) throw yaml.fault(path, "this is no regular expression.");
  return pattern;
}

/** How many calls an item is for. */
export function timesOf({ act }: GivenItem): number | "always" {
  return act.kind === "prompt" ? act.reply.times : act.end.times;
}
