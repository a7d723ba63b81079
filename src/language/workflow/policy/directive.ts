import { parseDuration } from "../../basics/duration.ts";
import { type Position, TOP } from "../../basics/place.ts";
import type { StateName } from "../../protocol/transition.ts";
import { InvalidFileError, readEach } from "../errors.ts";
import type { FileWarning, ScriptFile, StateText } from "../files/state-file.ts";
import { extensionOf, stateNameProblem } from "../files/state-name.ts";
import { quoted, unknownKey } from "../quote.ts";
import { type Entry, type ErrorAt, plainValue, type Tree } from "../yaml-tree.ts";
import { isImage } from "./container.ts";
import {
  type DeclaredEnvironment,
  NO_ENVIRONMENT,
  parseEnvironment,
  printPassed,
  readPassed,
} from "./declared-environment.ts";
import { printSandbox, readSandbox } from "./sandbox.ts";
import { schemaNameProblem } from "./schema-name.ts";

/** A setting of a directive. `read` returns null for an invalid value. */
interface Setting<T> {
  readonly read: (text: string) => T | null;
  readonly hint: string;
}

const SETTINGS = {
  timeout: {
    read: parseDuration,
    hint: "Examples: timeout=90s, timeout=20m, timeout=1h30m. A bare number is seconds.",
  },
  retries: {
    read: (text) => (/^\d{1,3}$/.test(text) ? Number(text) : null),
    hint: "Example: retries=3. Allowed: 0 to 999.",
  },
  backoff: {
    read: parseDuration,
    hint: "Example: backoff=10s. The delay before the first retry; it doubles with each retry.",
  },
  on_error: {
    read: (text) => (stateNameProblem(text) === null ? text : null),
    hint: "Example: on_error=FIX. The state that gets the error as its result.",
  },
  max_visits: {
    read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : null),
    hint: "Example: max_visits=20. How often a run may enter this state.",
  },
  env: {
    read: readPassed,
    hint: "Examples: env=NPM_TOKEN,AWS_*, env=none, env=inherit. The variables that the script receives.",
  },
  schema: {
    read: (text) => (schemaNameProblem(text) === null ? text : null),
    hint: "Example: schema=plan.schema.json. The schema file for the result of this script.",
  },
  sandbox: {
    read: (text) => {
      const sandbox = readSandbox(text);
      return sandbox === undefined ? null : { sandbox };
    },
    hint: "Examples: sandbox=on, sandbox=write:dist,network:off",
  },
  container: {
    read: (text) => (isImage(text) ? text : null),
    hint: "Example: container=node:22-bookworm. The image in which docker or podman runs the script.",
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;
type Key = keyof typeof SETTINGS;
export type ScriptSettings = {
  readonly [K in Key]?: {
    readonly value: NonNullable<ReturnType<(typeof SETTINGS)[K]["read"]>>;
    readonly at: Position;
  };
};

/** A directive must be in the first lines of a script. */
const HEAD_LINES = 20;

const DIRECTIVE = {
  ".sh": /^[ \t]*#[ \t]*raymond:(.*)$/,
  ".bat": /^[ \t]*(?:@?[Rr][Ee][Mm][ \t]+|::[ \t]*)raymond:(.*)$/,
} as const;

/**
 * Parses a script state with an optional directive comment in its first 20 lines,
 * `# raymond: timeout=30m` (`REM` or `::` in a batch file; docs/authoring.md, "Directive comment").
 * Throws {@link InvalidFileError} for an invalid value or a second directive.
 */
export function parseScript(
  name: StateName,
  text: string,
  path: string = name,
  { begin = TOP, beside = null }: ScriptSource = {},
): ScriptFile {
  const source = { body: text, bodyLine: begin.line, bodyColumn: begin.column };
  const pattern = extensionOf(name) === ".bat" ? DIRECTIVE[".bat"] : DIRECTIVE[".sh"];
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/, HEAD_LINES);
  const found = lines.flatMap((content, index) => {
    const words = pattern.exec(content)?.[1];
    return words === undefined
      ? []
      : [
          {
            words,
            at: {
              line: index + begin.line,
              column: content.length - words.length + begin.column,
            },
          },
        ];
  });

  const [directive, second] = found;
  if (directive === undefined)
    return scriptFile(name, source, beside?.declared ?? {}, beside?.warnings ?? []);
  if (beside !== null && Object.keys(beside.declared).length > 0) {
    throw new InvalidFileError(
      path,
      directive.at,
      "The script has both a directive comment and settings as YAML keys.",
      "Move all settings to one place.",
    );
  }
  if (second !== undefined) {
    throw new InvalidFileError(
      path,
      second.at,
      `Duplicate directive comment: the first is in line ${String(directive.at.line)}.`,
      "Move all settings to one comment.",
    );
  }

  const { declared, warnings } = readSettings(path, directive.words, directive.at);
  return scriptFile(name, source, declared, warnings);
}

/** For a script within a file: its position, and its settings as YAML keys. */
export interface ScriptSource {
  readonly begin?: Position;
  readonly beside?: InlineSettings | null;
}

export interface InlineSettings {
  readonly declared: ScriptSettings;
  readonly warnings: readonly FileWarning[];
}

/** Reads the settings of a script from YAML keys. Throws `errorAt` for an invalid value. */
export function readScriptKeys(entries: readonly Entry[], errorAt: ErrorAt): InlineSettings {
  const declared: [Key, unknown][] = [];
  const warnings: FileWarning[] = [];
  for (const { key, at, value } of entries) {
    if (!isKey(key)) {
      warnings.push({ line: at.line, message: unknownKey("key", key, Object.keys(SETTINGS)) });
      continue;
    }
    const { read, hint } = SETTINGS[key];
    const text = directiveText(key, value, errorAt);
    const parsed = text === null ? null : read(text);
    if (parsed === null) {
      const found = value.kind === "scalar" ? ` ${quoted(value.text)}` : ` a ${value.kind}`;
      throw errorAt(value.at, `${key} cannot be${found}.`, hint.replaceAll(/=(?=\S)/g, ": "));
    }
    declared.push([key, { value: parsed, at: value.at }]);
  }
  return { declared: Object.fromEntries(declared), warnings };
}

/** `env` of a script as a mapping. A script sets its variables itself. */
function passedTo(value: Tree, errorAt: ErrorAt): DeclaredEnvironment {
  const declared = parseEnvironment(value, errorAt, "env");
  if (declared.pass !== null && Object.keys(declared.set).length + declared.secret.length === 0)
    return declared;
  throw errorAt(
    value.at,
    "The env of a script can contain only pass.",
    "Set variables in the script itself, and declare secrets for the whole workflow.",
  );
}

export function printSettings(entries: readonly Entry[]): string {
  const settings = entries.filter(({ key }) => isKey(key));
  const bug: ErrorAt = (_, problem) => new Error(problem);
  return settings
    .map(({ key, value }) => `${key}=${directiveText(key, value, bug) ?? ""}`)
    .join(" ");
}

/** A YAML value as in a directive comment; null if it has no such form. */
function directiveText(key: string, value: Tree, errorAt: ErrorAt): string | null {
  if (value.kind === "scalar") return value.text;
  if (key === "env") return printPassed(passedTo(value, errorAt));
  const sandbox = key === "sandbox" ? readSandbox(plainValue(value)) : null;
  return sandbox ? printSandbox(sandbox) : null;
}

const DEFAULT_BACKOFF_MS = 10_000;

function scriptFile(
  name: StateName,
  text: StateText,
  declared: ScriptSettings,
  warnings: readonly FileWarning[],
): ScriptFile {
  return {
    kind: "script",
    name,
    ...text,
    timeoutMs: declared.timeout?.value ?? null,
    retries: declared.retries?.value ?? 0,
    backoffMs: declared.backoff?.value ?? DEFAULT_BACKOFF_MS,
    onError:
      declared.on_error === undefined
        ? null
        : { target: declared.on_error.value, at: declared.on_error.at },
    maxVisits: declared.max_visits?.value ?? null,
    env: declared.env?.value ?? NO_ENVIRONMENT,
    ...(declared.schema !== undefined && {
      schema: { name: declared.schema.value, at: declared.schema.at },
    }),
    sandbox: declared.sandbox?.value.sandbox ?? null,
    container: declared.container?.value ?? null,
    warnings,
  };
}

function readSettings(
  path: string,
  words: string,
  from: Position,
): { readonly declared: ScriptSettings; readonly warnings: readonly FileWarning[] } {
  const declared = new Map<Key, unknown>();
  const warnings: FileWarning[] = [];

  readEach([...words.matchAll(/\S+/g)], (match) => {
    const [setting] = match;
    const at = { line: from.line, column: from.column + match.index };
    const equals = setting.indexOf("=");
    const key = equals === -1 ? setting : setting.slice(0, equals);
    if (equals === -1 && !isKey(key) && declared.size > 0) {
      const [last = ""] = [...declared.keys()].slice(-1);
      throw new InvalidFileError(
        path,
        at,
        `Unexpected ${quoted(key)}: the value of ${last} must not contain spaces.`,
        isKey(last) ? SETTINGS[last].hint : "Write settings as name=value.",
      );
    }
    if (!isKey(key)) {
      warnings.push({
        line: at.line,
        message: unknownKey("directive", key, Object.keys(SETTINGS)),
      });
      return;
    }

    const value = equals === -1 ? "" : setting.slice(equals + 1);
    const { read, hint } = SETTINGS[key];
    const parsed = read(value);
    if (parsed === null) {
      const problem = value === "" ? `${key} has no value.` : `${key} cannot be ${quoted(value)}.`;
      throw new InvalidFileError(path, at, problem, hint);
    }
    if (declared.has(key)) {
      throw new InvalidFileError(path, at, `Duplicate setting ${key}.`, "Keep one of them.");
    }
    declared.set(key, { value: parsed, at });
  });
  return { declared: Object.fromEntries(declared), warnings };
}

function isKey(key: string): key is Key {
  return Object.hasOwn(SETTINGS, key);
}
