import type { RunState } from "../../../../src/machine/model/run-state.ts";

/** The trace of a run that has ended, without parts that differ in each execution, such as conversation ids. */
export interface Trace {
  /** Lines of its event log, with their numbers and times. */
  readonly events: readonly object[];
  readonly journal: readonly object[];
  /** The whole state. */
  readonly state: object;
  readonly run: RunState;
}

/** What is found of a run. */
export interface Raw {
  readonly events: readonly string[];
  readonly journal: readonly string[];
  readonly run: RunState;
}

/** `places`: placeholders for the folders of the processes that executed it. */
export function traceOf(
  { events, journal, run }: Raw,
  places: readonly (readonly [string | RegExp, string])[],
): Trace {
  const names = new Map<string, string>();
  const plain = (text: string): string => {
    const placed = places.reduce((now, [from, to]) => now.replaceAll(from, to), text);
    return placed
      .replaceAll(run.token, "<token>")
      .replaceAll(SESSION, (found) => named(names, found));
  };
  const read = (text: string) => JSON.parse(plain(text)) as object;
  return {
    events: events.map(read),
    journal: standing(journal).map(read),
    state: read(JSON.stringify(run)),
    run,
  };
}

/** A file has a record before its save, which may fail then; a database has it with its save. */
function standing(journal: readonly string[]): readonly string[] {
  const saves = journal.map((line) => (JSON.parse(line) as { readonly save: number }).save);
  return journal.filter((_, at) => !saves.slice(at + 1).some((later) => later <= (saves[at] ?? 0)));
}

const SESSION = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function named(names: Map<string, string>, found: string): string {
  const known = names.get(found) ?? `<session ${String(names.size)}>`;
  names.set(found, known);
  return known;
}
