import * as z from "zod/mini";
import type { ScriptedReply } from "../../clients/simulation/scenario.ts";
import { TIMED, text } from "../../clients/simulation/schema.ts";
import { readScripted } from "../../clients/simulation/script.ts";
import { type LocatedYaml, type Path, readAs } from "../../clients/simulation/yaml.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { findState } from "../../language/workflow/files/find-state.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { extensionOf, stemOf } from "../../language/workflow/files/state-name.ts";
import { resolveEntry } from "../../language/workflow/policy/entry.ts";

/** A substring, or a regular expression between slashes. */
export interface Pattern {
  readonly written: string;
  readonly matches: (text: string) => boolean;
}

/** The output of a script that does not run. */
export interface ScriptedEnd {
  readonly output: string;
  readonly errors: string;
  readonly exitCode: number;
  readonly delayMs: number;
  readonly times: number | "always";
  /** The answer to its question; null: none, and the run stops. */
  readonly answer: string | null;
}

export interface GivenItem {
  /** Matches the prompt, or the payload of a script; null: any. */
  readonly when: Pattern | null;
  readonly act:
    | { readonly kind: "prompt"; readonly reply: ScriptedReply }
    | { readonly kind: "script"; readonly end: ScriptedEnd };
}

export interface GivenState {
  /** First line in the file, from 1. */
  readonly line: number;
  readonly items: readonly GivenItem[];
}

export type Given = ReadonlyMap<StateName, GivenState>;

/** Empty if the path does not exist. */
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

export const whenSchema = text;

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

export function patternAt(yaml: LocatedYaml, path: Path, written: unknown): Pattern {
  if (typeof written !== "string" || written === "") {
    throw yaml.fault(path, "a text is expected, or a /regular expression/; put it in quotes.");
  }
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(written) ?? [];
  if (source === undefined) return { written, matches: (given) => given.includes(written) };
  try {
    const expression = new RegExp(source, flags);
    return { written, matches: (given) => expression.test(given) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw yaml.fault(path, "this is no regular expression.");
  }
}

export function timesOf({ act }: GivenItem): number | "always" {
  return act.kind === "prompt" ? act.reply.times : act.end.times;
}

export interface States {
  readonly names: readonly StateName[];
  readonly platform: Platform;
}

/** Throws a fault of the file if there is no such state. */
export function stateAt(
  yaml: LocatedYaml,
  path: Path,
  written: unknown,
  { names, platform }: States,
): StateName {
  if (typeof written !== "string") throw yaml.fault(path, "the name of a state is expected.");
  if (written.includes("/")) return fullNameAt(yaml, path, written);
  try {
    return resolveEntry(names, written, platform);
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    throw yaml.fault(path, `${error.message} ${error.hint ?? ""}`.trim());
  }
}

function fullNameAt(yaml: LocatedYaml, path: Path, written: string): string {
  if (extensionOf(written) !== null) return written.normalize("NFC");
  throw yaml.fault(path, "a state of another workflow is named with its extension.");
}

/** Without its extension, if the stem is unique on every platform. */
export function shortName(name: StateName, { names, platform }: States): string {
  const found = findState(names, stemOf(name), platform);
  return found.kind === "found" && found.name === name ? stemOf(name) : name;
}
