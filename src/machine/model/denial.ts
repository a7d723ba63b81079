import {
  ON_DENIED,
  type OnDenied,
  type StateFile,
} from "../../language/workflow/files/state-file.ts";

/** A tool call that the client denied. */
export interface Denial {
  readonly tool: string;
  /** Its main argument, shortened to one line. */
  readonly input: string;
  /**
   * The complete main argument, if the backend can allow exactly this call. It contains no invisible
   * characters.
   */
  readonly exact?: string | undefined;
  /** The item of the state that asks for the call, if the user does not allow it. */
  readonly asked?: string | undefined;
}

/** A tool call that a person has allowed: this argument and no other one. */
export interface Grant {
  readonly tool: string;
  readonly argument: string;
}

/** A denied call of a state, with the number of times. */
export interface DenialCount extends Pick<Denial, "tool" | "input" | "asked"> {
  /** The full name. */
  readonly state: string;
  readonly count: number;
  /** The state has permissions of its own: it must list the call as well (`CallPermissions.narrowed`). */
  readonly narrowed?: boolean | undefined;
}

/** Denied calls in one visit of a state, with the decision of a person. */
export interface Ruling {
  /** The calls of the last question, or those that failed the step. */
  readonly calls: readonly Denial[];
  /** Allowed until the next reply. */
  readonly once: readonly Grant[];
  /** Calls that the person denied: they cause no further question in this visit. */
  readonly refused: readonly Denial[];
}

export const NO_RULING: Ruling = { calls: [], once: [], refused: [] };

/** The stricter one of the setting and the front matter (docs/permissions.md, "Denied tool calls"). */
export function onDeniedOf(file: StateFile, setting: OnDenied): OnDenied {
  const own = file.kind === "prompt" ? file.onDenied : null;
  if (own === null) return setting;
  return ON_DENIED.indexOf(own) > ON_DENIED.indexOf(setting) ? own : setting;
}

/**
 * The argument if a person can read all of it and allow it: short enough, and without invisible
 * characters except line ends and tabs, which {@link describeCall} shows.
 */
export function readableArgument(text: string): string | undefined {
  const fits = text.trim() !== "" && text.length <= MAX_ARGUMENT;
  return fits && !INVISIBLE.test(text) ? text : undefined;
}

/** Characters of an argument that can be allowed. */
const MAX_ARGUMENT = 1_000;

/** Includes fillers that are letters, and blanks other than the plain one. */
const INVISIBLE =
  /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u00a0\u115f\u1160\u17b4\u17b5\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]/u;

/** Different calls, in order. */
export function distinctCalls(calls: readonly Denial[]): readonly Denial[] {
  return [...new Map(calls.map((call) => [keyOf(call), call])).values()];
}

/** The calls that are not in `others`. */
export function callsWithout(
  calls: readonly Denial[],
  others: readonly Denial[],
): readonly Denial[] {
  const known = new Set(others.map(keyOf));
  return calls.filter((call) => !known.has(keyOf(call)));
}

function keyOf({ tool, input, exact }: Denial): string {
  return JSON.stringify([tool, exact ?? input]);
}

export function grantsFor(calls: readonly Denial[]): readonly Grant[] {
  return calls.flatMap(({ tool, exact }) => (exact === undefined ? [] : { tool, argument: exact }));
}

/** A call that was denied although it was allowed has another reason, so a grant does not help. */
export function withoutGranted(call: Denial, grants: readonly Grant[]): Denial {
  const { tool, exact } = call;
  const granted = grants.some((grant) => grant.tool === tool && grant.argument === exact);
  return granted ? { tool, input: call.input } : call;
}

/** One line per call. Control characters become their pictures, so that a call cannot imitate another line. */
export function describeCall({ tool, input, exact }: Denial): string {
  const argument = (exact ?? input).replaceAll(CONTROLS, (character) =>
    String.fromCharCode(0x2400 + character.charCodeAt(0)),
  );
  return argument === "" ? tool : `${tool}: ${argument}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced.
const CONTROLS = /[\u0000-\u001f]/g;

/** Maximum different calls in the state of a run. Further ones are counted per state and tool. */
const MAX_CALLS = 50;

/** Adds calls to the counts of a run. */
export function countDenials(
  counts: readonly DenialCount[],
  state: string,
  calls: readonly Denial[],
  narrowed = false,
): readonly DenialCount[] {
  const of = { state, ...(narrowed && { narrowed }) };
  return calls.reduce((all, call) => countOne(all, of, call), counts);
}

function countOne(
  counts: readonly DenialCount[],
  of: Pick<DenialCount, "state" | "narrowed">,
  { tool, input, asked }: Denial,
): readonly DenialCount[] {
  const { state } = of;
  const find = (shown: string) =>
    counts.findIndex((one) => one.state === state && one.tool === tool && one.input === shown);
  const full = counts.length >= MAX_CALLS && find(input) === -1;
  const shown = full ? OTHERS : input;
  const index = find(shown);
  const known = counts[index];
  if (known === undefined) {
    const reason = asked === undefined ? of : { state, asked };
    return [...counts, { ...reason, tool, input: shown, count: 1 }];
  }
  return counts.with(index, { ...known, count: known.count + 1 });
}

const OTHERS = "…";

export function sumOfDenials(counts: readonly DenialCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
