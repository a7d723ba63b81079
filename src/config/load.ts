import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import type { RunSettings } from "../core/machine/run-state.ts";
import { nearest } from "../core/nearest.ts";
import { ConfigError, placeText } from "./errors.ts";
import { keyLine } from "./key-lines.ts";
import { type Option, readValue } from "./option.ts";
import { allOptions, optionByKey, type PartialSettings } from "./settings.ts";

/** What a configuration file says. */
export interface ConfigFile {
  readonly file: string;
  readonly settings: PartialSettings;
  /** Line of each setting that it has, where it could be found. */
  readonly lines: Readonly<Partial<Record<keyof RunSettings, number | null>>>;
  /** Sentences about what it says and nobody reads, with file and line. */
  readonly warnings: readonly string[];
}

/** The configuration file of a state folder (`.raymond`, or what `--state-dir` names); null without one. */
export async function findConfig(stateRoot: string): Promise<string | null> {
  const file = configPath(stateRoot);
  try {
    await stat(file);
    return file;
  } catch (error) {
    if (isMissing(error)) return null;
    throw unreadable(file, error);
  }
}

/** Where the configuration of a state folder lies, or would lie. */
export function configPath(stateRoot: string): string {
  return join(stateRoot, "config.toml");
}

/** Reads a configuration file. Rejects with {@link ConfigError}; unknown keys are only warnings (spec 4). */
export async function loadConfig(file: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    throw unreadable(file, error);
  }
  return parseConfig(file, text);
}

/** The same for a text; `file` is its name in messages. Throws {@link ConfigError}. */
export function parseConfig(file: string, text: string): ConfigFile {
  const document = parseToml(file, text);
  const warnings = newWarnings(file);

  for (const key of Object.keys(document)) {
    if (key === TABLE) continue;
    // A budget above its table would silently be no budget.
    if (optionByKey(key) !== undefined) {
      throw new ConfigError({
        place: { file, line: keyLine(text, null, key) },
        key,
        problem: `stands outside the table [${TABLE}], where nobody reads it`,
        hint: `Put the line [${TABLE}] above it.`,
      });
    }
    warnings.add(() => {
      const line = keyLine(text, null, key);
      return unknown(file, line, `[${key}]`, nearest(key, [TABLE]), "table");
    });
  }

  const table = document[TABLE];
  if (table === undefined) return { file, settings: {}, lines: {}, warnings: warnings.all() };
  if (!isTable(table)) {
    throw new ConfigError({
      place: { file, line: keyLine(text, null, TABLE) },
      key: TABLE,
      problem: "must be a table",
      hint: `Write [${TABLE}] on a line of its own, and the settings below it.`,
    });
  }
  return readTable(file, text, table, warnings);
}

const TABLE = "raymond";

function readTable(
  file: string,
  text: string,
  table: Readonly<Record<string, unknown>>,
  warnings: Warnings,
): ConfigFile {
  const settings: Partial<Record<keyof RunSettings, unknown>> = {};
  const lines: Partial<Record<keyof RunSettings, number | null>> = {};
  const keys = allOptions().map((option) => option.key);

  for (const [key, value] of Object.entries(table)) {
    const option = optionByKey(key);
    if (option === undefined) {
      warnings.add(() => {
        const line = keyLine(text, TABLE, key);
        return unknown(file, line, key, nearest(key, keys), "key");
      });
      continue;
    }
    const line = keyLine(text, TABLE, key);
    settings[option.field] = checked(file, line, option, value);
    lines[option.field] = line;
  }
  // Each value came out of the schema of its own field.
  return { file, settings: settings as PartialSettings, lines, warnings: warnings.all() };
}

interface Warnings {
  /** Adds a sentence, or only counts it where there are many. */
  add(sentence: () => string): void;
  all(): readonly string[];
}

/** A file of another kind has thousands of keys: to look each of them up would take minutes. */
const MOST_WARNINGS = 20;

function newWarnings(file: string): Warnings {
  const sentences: string[] = [];
  let more = 0;
  return {
    add(sentence) {
      if (sentences.length < MOST_WARNINGS) sentences.push(sentence());
      else more += 1;
    },
    all() {
      if (more === 0) return sentences;
      return [...sentences, `${file}: ${String(more)} more keys and tables are ignored.`];
    },
  };
}

function checked(file: string, line: number | null, option: Option, value: unknown): unknown {
  const read = readValue(option, value);
  if (read.ok) return read.value;
  throw new ConfigError({
    place: { file, line },
    key: option.key,
    problem: `is ${shown(value)}, but must be ${option.expects}`,
    hint: `Correct the line, or remove it: the default is ${option.default}.`,
  });
}

function parseToml(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line says what is wrong; the rest is a drawing of the place.
    const [what = ""] = error.message.split("\n");
    throw new ConfigError({
      place: { file, line: error.line },
      key: null,
      problem: `this is not TOML (column ${String(error.column)}): ${what.replace(/^Invalid TOML document: /, "")}`,
      hint: 'Texts need quotes, as in model = "sonnet"; `raymond --init-config` in an empty folder shows every setting.',
      cause: error,
    });
  }
}

function unknown(
  file: string,
  line: number | null,
  name: string,
  near: string | null,
  noun: "key" | "table",
): string {
  const place = placeText({ file, line });
  const meant = noun === "table" && near !== null ? `[${near}]` : near;
  return `${place}: there is no ${noun} ${name}, so it is ignored${meant === null ? "." : `; did you mean ${meant}?`}`;
}

function unreadable(file: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError({
    place: { file, line: null },
    key: null,
    problem: `the configuration cannot be read: ${reason}`,
    hint: "Make it a readable text file in UTF-8, or remove it.",
    cause: error,
  });
}

function shown(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ENOENT" || error.code === "ENOTDIR")
  );
}
