import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse, TomlError } from "smol-toml";
import { LIMITS, readRegularFile } from "../files/read-file.ts";
import { isMissing } from "../language/basics/error-code.ts";
import { isJsonObject, type JsonObject } from "../language/basics/json-object.ts";
import { nearest } from "../language/basics/nearest.ts";
import { ConfigError, type SettingPlace, settingPlace, suggestChoice } from "./errors.ts";
import { keyLine } from "./key-lines.ts";
import { mergedEntries, type Option, printValue, readValue } from "./option.ts";
import { optionByAlias, optionByKey, type PartialSettings } from "./settings.ts";
import { suggestOption } from "./suggest-option.ts";
import type { Settings } from "./switches.ts";

// Every run uses this; `node:fs/promises` takes longer to load.
const stat = promisify(fs.stat);

export interface ConfigFile {
  readonly file: string;
  readonly settings: PartialSettings;
  /** Line of each setting, if known. */
  readonly lines: Readonly<Partial<Record<keyof Settings, number | null>>>;
  /** Warnings about unknown keys, with file and line. */
  readonly warnings: readonly string[];
}

/**
 * The configuration file of a state folder (`.raymond` or `--state-dir`); null if there is none.
 */
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

export function configPath(stateRoot: string): string {
  return join(stateRoot, "config.toml");
}

export interface InspectedConfig extends ConfigFile {
  readonly errors: readonly ConfigError[];
}

/** Reads a configuration file. Rejects with {@link ConfigError}; unknown keys are only warnings. */
export async function loadConfig(file: string): Promise<ConfigFile> {
  return orFirstError(await inspectConfig(file));
}

/**
 * Parses a configuration text; `file` is its name in messages. Throws {@link ConfigError}.
 * @public So that tests need no file for each text.
 */
export function parseConfig(file: string, text: string): ConfigFile {
  return orFirstError(inspectText(file, text));
}

/**
 * Reads all valid settings of a configuration file, and all errors. Never rejects for its content.
 */
export async function inspectConfig(file: string): Promise<InspectedConfig> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.small),
    );
  } catch (error) {
    return nothingRead(file, unreadable(file, error));
  }
  return inspectText(file, text);
}

function orFirstError({ errors, ...config }: InspectedConfig): ConfigFile {
  const [first] = errors;
  if (first !== undefined) throw first;
  return config;
}

function nothingRead(file: string, error: ConfigError): InspectedConfig {
  return { file, settings: {}, lines: {}, warnings: [], errors: [error] };
}

/** Like {@link inspectConfig} for a text; `file` is its name in messages. */
export function inspectText(file: string, text: string): InspectedConfig {
  const document = parseToml(file, text);
  if (document instanceof ConfigError) return nothingRead(file, document);
  const warnings: (() => string)[] = [];
  const errors: ConfigError[] = [];

  for (const key of Object.keys(document)) {
    if (key === TABLE) continue;
    // A budget above its table would silently be no budget.
    if (optionByKey(key) !== undefined) {
      errors.push(
        new ConfigError({
          place: { file, line: keyLine(text, null, key) },
          key,
          problem: `is outside the table [${TABLE}] and would be ignored`,
          hint: `Put the line [${TABLE}] above it.`,
        }),
      );
      continue;
    }
    warnings.push(() => {
      const near = nearest(key, [TABLE]);
      const meant = near === null ? null : `[${near}]`;
      return unknown({ file, line: keyLine(text, null, key) }, `table [${key}]`, meant);
    });
  }

  const table = document[TABLE];
  if (table !== undefined && !isTable(table)) {
    errors.push(
      new ConfigError({
        place: { file, line: keyLine(text, null, TABLE) },
        key: TABLE,
        problem: "must be a table",
        hint: `Write [${TABLE}] on a line of its own, and the settings below it.`,
      }),
    );
  }
  const read = readTable(file, text, isTable(table) ? table : {}, warnings);
  return { ...read, warnings: firstWarnings(file, warnings), errors: [...errors, ...read.errors] };
}

const TABLE = "raymond";

function readTable(
  file: string,
  text: string,
  table: JsonObject,
  warnings: (() => string)[],
): Omit<InspectedConfig, "warnings"> {
  const errors: ConfigError[] = [];
  const settings: Partial<Record<keyof Settings, unknown>> = {};
  const lines: Partial<Record<keyof Settings, number | null>> = {};

  for (const [key, value] of Object.entries(table)) {
    const option = optionByKey(key) ?? optionByAlias(key);
    if (option === undefined) {
      warnings.push(() =>
        unknown({ file, line: keyLine(text, TABLE, key) }, `key ${key}`, meantLine(key, value)),
      );
      continue;
    }
    const line = keyLine(text, TABLE, key);
    const written = option.key === key ? value : { [option.alias?.entry ?? key]: value };
    const read = readValue(option, written);
    if (!read.ok) {
      errors.push(badValue({ file, line }, option, value, key));
      continue;
    }
    settings[option.field] = mergedEntries(settings[option.field], read.value);
    lines[option.field] = line;
  }
  // Each value was parsed by the schema of its own field.
  return { file, settings: settings as PartialSettings, lines, errors };
}

/** A file of another kind may have thousands of keys, and suggestions are slow. */
const MOST_WARNINGS = 20;

function firstWarnings(file: string, all: readonly (() => string)[]): readonly string[] {
  const first = all.slice(0, MOST_WARNINGS).map((warning) => warning());
  const more = all.length - first.length;
  if (more === 0) return first;
  return [...first, `${file}: ${String(more)} more keys and tables are ignored.`];
}

function badValue(place: SettingPlace, option: Option, value: unknown, key: string): ConfigError {
  return new ConfigError({
    place,
    key,
    problem: option.problem?.(value) ?? `is ${shown(value)}, but must be ${option.expects}`,
    hint: `${typeof value === "string" ? suggestChoice(value, option.expects) : ""}Correct the line, or remove it: the default is ${printValue(option, option.default)}.`,
  });
}

/** Parses TOML; returns the error of an invalid text. */
export function parseToml(file: string, text: string): JsonObject | ConfigError {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const twice = repeatedKey(text, error.line);
    if (twice !== null) {
      return new ConfigError({
        place: { file, line: error.line },
        key: twice.key,
        problem: `is set twice: also in line ${String(twice.first)}`,
        hint: "Keep one of the two lines.",
        cause: error,
      });
    }
    // The first line contains the message; the rest is an illustration.
    const [what = ""] = error.message.split("\n");
    return new ConfigError({
      place: { file, line: error.line },
      key: null,
      problem: `this is not TOML (column ${String(error.column)}): ${what.replace(/^Invalid TOML document: /, "")}`,
      hint: 'Strings need quotes, as in model = "sonnet". To see every setting, run this in an empty folder: raymond --init-config',
      cause: error,
    });
  }
}

/** The key of a line if an earlier line of the same table sets it too; else null. */
function repeatedKey(
  text: string,
  line: number,
): { readonly key: string; readonly first: number } | null {
  const lines = text.split(/\r?\n/).slice(0, line);
  const table = lines.findLastIndex((each) => /^\s*\[/.test(each));
  const key = keySet(lines.at(-1) ?? "");
  const first = lines.findIndex((each, index) => index > table && keySet(each) === key);
  return key === null || first === line - 1 ? null : { key, first: first + 1 };
}

function keySet(line: string): string | null {
  return /^\s*([\w-]+)\s*=/.exec(line)?.[1] ?? null;
}

function unknown(place: SettingPlace, what: string, meant: string | null): string {
  const guess = meant === null ? "." : `; did you mean ${meant}?`;
  return `${settingPlace(place)}: unknown ${what} is ignored${guess}`;
}

/** The suggested key, or the complete line for an opposite (`no_debug = true`). */
function meantLine(key: string, value: unknown): string | null {
  const meant = suggestOption(key);
  if (meant === null || !meant.opposite) return meant?.option.key ?? null;
  return `${meant.option.key} = ${String(value === false)}`;
}

function unreadable(file: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError({
    place: { file, line: null },
    key: null,
    problem: `cannot read the configuration: ${reason}`,
    hint: "Check its permissions and that it is UTF-8 text, or remove it.",
    cause: error,
  });
}

function shown(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function isTable(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof Date);
}
