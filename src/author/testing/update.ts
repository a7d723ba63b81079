import { isMap, isNode, LineCounter, type Node, type YAMLMap } from "yaml";
import { composeYaml } from "../../language/workflow/compose-yaml.ts";
import { type Observed, wholeExpectation } from "./happened.ts";
import { printBelow, printInline } from "./print-yaml.ts";

export interface Outdated {
  readonly name: string;
  readonly observed: Observed;
}

/**
 * Replaces paths, results, cost, status and exit code that differ from the observed ones. Adds
 * `expect` to tests without it. Keeps everything else.
 */
export function updateTests(text: string, outdated: readonly Outdated[]): string {
  const lineCounter = new LineCounter();
  const document = composeYaml(text, lineCounter);
  if (document === null) return text;
  const columnOf = (node: unknown) => lineCounter.linePos(rangeOf(node)[0]).col;
  const edits = outdated.flatMap(({ name, observed }): readonly (Edit | null)[] => {
    const test: unknown = document.getIn(["tests", name], true);
    const expect: unknown = document.getIn(["tests", name, "expect"], true);
    if (!isMap(test)) return [];
    if (!isMap(expect)) return [addition(text, test, wholeExpectation(observed), columnOf)];
    const said = expect.toJSON() as Readonly<Record<string, unknown>>;
    return sayings(observed).map(([path, value]): Edit | null => {
      const there = path.reduce<unknown>(descend, said);
      if (there === undefined || JSON.stringify(there) === JSON.stringify(value)) return null;
      const node: unknown = expect.getIn(path, true);
      const flow = expect.flow === true || path.length > 1;
      return replacement(
        text,
        node,
        flow ? printInline(value) : printBelow(value, columnOf(expect)),
      );
    });
  });
  return applied(
    text,
    edits.filter((edit) => edit !== null),
  );
}

/** Offsets in a text. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((now, { from, to, by }) => now.slice(0, from) + by + now.slice(to), text);
}

/** Keeps the whitespace after a block. */
function replacement(text: string, node: unknown, by: string): Edit {
  const [from, end] = rangeOf(node);
  return { from, to: from + text.slice(from, end).trimEnd().length, by };
}

/** Adds `expect` as the last key of a test. */
function addition(
  text: string,
  test: YAMLMap,
  expectation: object,
  columnOf: (node: unknown) => number,
): Edit {
  const [from, end] = rangeOf(test);
  if (test.flow === true && test.items.length > 0) {
    const to = text.lastIndexOf("}", end);
    const by = `, expect: ${printInline(expectation)} `;
    return { from: text.slice(0, to).trimEnd().length, to, by };
  }
  const [first] = test.items;
  if (first === undefined) {
    // `{}` after the name of the test.
    const begins = text.slice(0, from).trimEnd().length;
    const column = indentAt(text, from) + 3;
    return { from: begins, to: end, by: lineOf(expectation, column) };
  }
  const last = text.slice(0, end).trimEnd().length;
  const lineEnd = text.indexOf("\n", last);
  const at = lineEnd === -1 ? text.length : lineEnd;
  return { from: at, to: at, by: lineOf(expectation, columnOf(first.key)) };
}

function lineOf(expectation: object, column: number): string {
  return `\n${" ".repeat(column - 1)}expect:\n${" ".repeat(column + 1)}${printBelow(expectation, column).trimStart()}`;
}

function indentAt(text: string, offset: number): number {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  return /^ */.exec(text.slice(begin))?.[0].length ?? 0;
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = isNode(node) ? (node as Node).range : null;
  if (range === null || range === undefined) throw new Error("a part of a test file has no place");
  return [range[0], range[1]];
}

/** Each observable value with its path in `expect`. */
function sayings({ paths, results, ...others }: Observed) {
  const byAgent = (key: string, all: Readonly<Record<string, unknown>>) =>
    Object.entries(all).map(([agent, value]) => [[key, agent], value] as const);
  const all = [
    ...Object.entries(others).map(([key, value]) => [[key], value as unknown] as const),
    ...byAgent("paths", paths),
    ...byAgent("results", results),
  ];
  return all.filter(([, value]) => value !== undefined);
}

function descend(data: unknown, key: string): unknown {
  return (data as Readonly<Record<string, unknown>> | undefined)?.[key];
}
