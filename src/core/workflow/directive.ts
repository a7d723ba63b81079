import { parseDuration } from "../duration.ts";
import type { Position } from "../place.ts";
import type { StateName } from "../protocol/transition.ts";
import { BadDirectiveError, readEach } from "./errors.ts";
import { unknownKey } from "./meant.ts";
import { quoted } from "./quote.ts";
import type { FileWarning, ScriptFile, StateText } from "./state-file.ts";
import { extensionOf, stateNameProblem } from "./state-name.ts";
import type { Complain, Entry } from "./yaml-tree.ts";

/** One thing that a directive may set: how its value is read, `null` where it is bad. */
interface Setting<T> {
  readonly read: (text: string) => T | null;
  readonly hint: string;
}

const SETTINGS = {
  timeout: {
    read: parseDuration,
    hint: "Write for example timeout=90s, 20m, 2h or 1h30m; a bare number is seconds.",
  },
  retries: {
    read: (text) => (/^\d{1,3}$/.test(text) ? Number(text) : null),
    hint: "Write for example retries=3: a number from 0 to 999.",
  },
  backoff: {
    read: parseDuration,
    hint: "Write for example backoff=10s: the time before the first retry; it doubles with each.",
  },
  on_error: {
    read: (text) => (stateNameProblem(text) === null ? text : null),
    hint: "Write for example on_error=FIX: the state that gets the error as its result.",
  },
  max_visits: {
    read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : null),
    hint: "Write for example max_visits=20: how often a run may enter this state.",
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;
type Key = keyof typeof SETTINGS;
/** What is set for a script; what is absent is not. */
export type ScriptSettings = {
  readonly [K in Key]?: {
    readonly value: NonNullable<ReturnType<(typeof SETTINGS)[K]["read"]>>;
    readonly at: Position;
  };
};

/** A directive stands in the head of a script, where a reader sees it. */
const HEAD_LINES = 20;

const DIRECTIVE = {
  ".sh": /^[ \t]*#[ \t]*raymond:(.*)$/,
  ".bat": /^[ \t]*(?:@?[Rr][Ee][Mm][ \t]+|::[ \t]*)raymond:(.*)$/,
} as const;

/**
 * Reads a script state: the one directive comment in its first 20
 * lines, `# raymond: timeout=30m` (docs/authoring.md, "The directive comment";
 * `REM` or `::` in a batch file). Throws {@link BadDirectiveError} for a bad
 * value or a second directive; unknown keys are warnings.
 */
export function parseScript(
  name: StateName,
  text: string,
  path: string = name,
  { begin = START, beside = null }: ScriptSource = {},
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
    throw new BadDirectiveError(
      path,
      directive.at,
      "A directive comment, and keys beside the script that say the same kind of thing.",
      "Put all settings into one place.",
    );
  }
  if (second !== undefined) {
    throw new BadDirectiveError(
      path,
      second.at,
      `A second directive comment; the first is in line ${String(directive.at.line)}.`,
      "Put all settings into one comment.",
    );
  }

  const { declared, warnings } = readSettings(path, directive.words, directive.at);
  return scriptFile(name, source, declared, warnings);
}

/** Where a script stands that is a part of a file, and what is declared beside it. */
export interface ScriptSource {
  readonly begin?: Position;
  readonly beside?: SettingsBeside | null;
}

export interface SettingsBeside {
  readonly declared: ScriptSettings;
  readonly warnings: readonly FileWarning[];
}

/**
 * The settings of a script as keys of a YAML mapping. Throws what `complain`
 * makes for a bad value; keys that are not known are warnings.
 */
export function readScriptKeys(entries: readonly Entry[], complain: Complain): SettingsBeside {
  const declared: [Key, unknown][] = [];
  const warnings: FileWarning[] = [];
  for (const { key, at, value } of entries) {
    if (!isKey(key)) {
      warnings.push({ line: at.line, message: unknownKey("key", key, Object.keys(SETTINGS)) });
      continue;
    }
    const { read, hint } = SETTINGS[key];
    const parsed = value.kind === "scalar" ? read(value.text) : null;
    if (parsed === null) {
      const found = value.kind === "scalar" ? ` ${quoted(value.text)}` : ` a ${value.kind}`;
      throw complain(value.at, `${key} cannot be${found}.`, hint.replaceAll(/=(?=\S)/g, ": "));
    }
    declared.push([key, { value: parsed, at: value.at }]);
  }
  return { declared: Object.fromEntries(declared), warnings };
}

/** The same settings as the words of a directive comment, which says them where a script has a file of its own. */
export function printSettings(entries: readonly Entry[]): string {
  const known = entries.filter(({ key }) => isKey(key));
  return known
    .map(({ key, value }) => `${key}=${value.kind === "scalar" ? value.text : ""}`)
    .join(" ");
}

const START = { line: 1, column: 1 };

/** Before the first retry where the author does not say, ms. */
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
      throw new BadDirectiveError(
        path,
        at,
        `${quoted(key)} belongs to no setting: the value of ${last} ends at the blank before it.`,
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
      throw new BadDirectiveError(path, at, problem, hint);
    }
    if (declared.has(key)) {
      throw new BadDirectiveError(path, at, `${key} is set twice.`, "Keep one of them.");
    }
    declared.set(key, { value: parsed, at });
  });
  return { declared: Object.fromEntries(declared), warnings };
}

function isKey(key: string): key is Key {
  return Object.hasOwn(SETTINGS, key);
}
