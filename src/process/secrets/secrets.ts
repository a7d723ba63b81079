import type { ProcessCall, StartProcess } from "../../engine/ports/process.ts";
import type { Redaction } from "../../engine/ports/redaction.ts";
import { encodeEntities } from "../../language/protocol/scan/entities.ts";
import { matchesVariable } from "../../language/workflow/policy/declared-environment.ts";
import { redactJson } from "./redact-json.ts";
import { type Pattern, RedactedStream } from "./redacted-stream.ts";

/** A shorter value would also match ordinary text. */
const SHORTEST_VALUE = 6;
/** Shortest line of a value with several lines that is redacted by itself. */
const SHORTEST_LINE = 16;

type Variables = Readonly<Record<string, string | undefined>>;

export interface SecretSources {
  /** Environments that contain the values. They may have different values for one name. */
  readonly environments: readonly Variables[];
  /** As Windows compares names of variables. */
  readonly ignoreCase: boolean;
  /** Called once for each value that is too short to be redacted. */
  readonly warn: (message: string) => void;
}

/**
 * Replaces the values of secret variables by `***NAME***` (docs/environment.md, "Secrets"). Output
 * of steps passes through here before anything reads, shortens or writes it. The values exist only
 * in memory.
 *
 * R1  No text that leaves this class contains the value of a declared variable, also if the value
 *     arrived in parts.
 * R2  A value escaped as a JSON string, once or twice, for a tag, or as shells print it counts as the
 *     value. Other encodings do not.
 */
export class Secrets implements Redaction {
  readonly #sources: SecretSources;
  readonly #declared = new Set<string>();
  readonly #short = new Set<string>();
  /** By value, longest first. */
  #replacements: readonly Replacement[] = [];
  #patterns: readonly Pattern[] = [];
  #masks: readonly Pattern[] = [];

  constructor(sources: SecretSources) {
    this.#sources = sources;
  }

  get isEmpty(): boolean {
    return this.#replacements.length === 0;
  }

  /** Adds names and `PREFIX_*`. `warns`: report values that are too short. */
  declare(names: readonly string[], warns = true): void {
    const added = names.filter((name) => !this.#declared.has(name));
    if (added.length === 0) return;
    for (const name of added) this.#declared.add(name);
    const found = this.#sources.environments.flatMap((env) => this.#valuesIn(env, added, warns));
    if (found.length === 0) return;
    const all = new Map(this.#replacements.map((one) => [one.value, one]));
    for (const one of found) if (!all.has(one.value)) all.set(one.value, one);
    const values = [...all.values()].toSorted((a, b) => b.value.length - a.value.length);
    this.#replacements = values.map((one) => harmless(one, values));
    this.#patterns = this.#replacements.map(({ value, shown }) => ({
      find: bytesOf(value),
      shown,
    }));
    this.#masks = this.#patterns.map(({ find }) => ({ find, shown: maskOf(find) }));
  }

  text(text: string): string {
    let clean = text;
    for (const { value, shown } of this.#replacements) {
      if (clean.includes(value)) clean = clean.split(value).join(shown);
    }
    return clean;
  }

  json(line: string): string {
    if (!this.#replacements.some(({ value }) => line.includes(value))) return line;
    return redactJson(line, (text) => this.text(text));
  }

  stream(write: (chunk: Buffer) => void): RedactedStream {
    return new RedactedStream(() => this.#patterns, write);
  }

  mask(write: (chunk: Buffer) => void): RedactedStream {
    return new RedactedStream(() => this.#masks, write);
  }

  /** Starts processes whose output is redacted. */
  starting(start: StartProcess): StartProcess {
    return (call: ProcessCall) => {
      const stdout = this.stream((chunk) => {
        call.onStdout(chunk);
      });
      const stderr = this.stream((chunk) => {
        call.onStderr(chunk);
      });
      const running = start({
        ...call,
        onStdout: (chunk) => {
          stdout.push(chunk);
        },
        onStderr: (chunk) => {
          stderr.push(chunk);
        },
      });
      const done = running.done.finally(() => {
        stdout.end();
        stderr.end();
      });
      return { ...running, done };
    };
  }

  #valuesIn(env: Variables, names: readonly string[], warns: boolean): readonly Replacement[] {
    const { ignoreCase, warn } = this.#sources;
    return Object.entries(env).flatMap(([name, given]) => {
      const value = given?.trim() ?? "";
      if (value === "" || !matchesVariable(names, name, ignoreCase)) return [];
      if (value.length < SHORTEST_VALUE) {
        if (warns && !this.#short.has(name)) {
          const least = String(SHORTEST_VALUE);
          warn(`The value of ${name} is not redacted: it is shorter than ${least} characters.`);
        }
        this.#short.add(name);
        return [];
      }
      return formsOf(value).map((form) => ({ value: form, shown: `***${name}***` }));
    });
  }
}

interface Replacement {
  readonly value: string;
  readonly shown: string;
}

/** The value and its long lines, each as it is, in a tag, and as a JSON string. */
function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  const long = lines.map((line) => line.trim()).filter((line) => line.length >= SHORTEST_LINE);
  const whole =
    lines.length === 1 ? [value] : [value, lines.join("\n"), lines.join("\r\n"), ...long];
  const written = whole.flatMap((text) => [text, encodeEntities(text)]);
  const shell = whole.flatMap((text) => shellForms(text));
  const forms = [...written, ...shell].flatMap((text) => [
    ...[text, escaped(text), escaped(escaped(text))],
  ]);
  return [...new Set(forms)];
}

/** As `set -x`, `printf %q`, `declare -p` and `env` of shells print a value, without the outer quotes. */
function shellForms(text: string): readonly string[] {
  if (/^[\w@%+=:./-]*$/.test(text)) return [];
  const single = text.replaceAll("'", String.raw`'\''`);
  const backslashed = text.replaceAll(/[\s'"\\|&;()<>!{}*[\]?^$`,]/g, String.raw`\$&`);
  const double = text.replaceAll(/["$`\\]/g, String.raw`\$&`);
  return [single, backslashed, double, ansi(text)];
}

/** As in `$'…'`. */
function ansi(text: string): string {
  return text.replaceAll(/[\\'\n\r\t]/g, (character) => ANSI[character] ?? character);
}

const ANSI: Readonly<Record<string, string>> = {
  "\\": String.raw`\\`,
  "'": String.raw`\'`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
};

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The name of a variable may contain a value. */
function harmless(one: Replacement, all: readonly Replacement[]): Replacement {
  return all.some(({ value }) => one.shown.includes(value)) ? { ...one, shown: "***" } : one;
}

/** UTF-8 as one character per byte. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A number stays a number, so that a file of JSON stays valid. */
function maskOf(find: string): string {
  return (/^\d+$/.test(find) ? "9" : "*").repeat(find.length);
}
