import type { Comparison } from "./comparisons.ts";
import { medianRatio, type Sample, sampleOf } from "./measure.ts";
import type { Scale } from "./scale.ts";
import { alignedTable, type Row, sampleText } from "./table.ts";
import type { TestBed } from "./test-bed.ts";

/** The same row of two builds; the samples have one figure per turn. */
export interface Pair extends Pick<Row, "what" | "unit"> {
  readonly before: Sample;
  readonly after: Sample;
}

/** A figure is a regression if it is larger than in the other build by more than this factor. */
export const REGRESSION = 1.1;

/**
 * Runs a comparison with both builds in alternating order (A B, B A, A B), so that a change of the
 * load affects both. Rows that only one build has are left out.
 */
export async function pairsOf(
  compare: Comparison,
  beds: { readonly before: TestBed; readonly after: TestBed },
  scale: Scale,
  turns: number,
  stateBytes: number,
): Promise<readonly Pair[]> {
  const before: (readonly Row[])[] = [];
  const after: (readonly Row[])[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const first = async () => before.push(await compare(beds.before, scale, stateBytes));
    const second = async () => after.push(await compare(beds.after, scale, stateBytes));
    for (const measure of turn % 2 === 0 ? [first, second] : [second, first]) await measure();
  }
  return pairRows(before, after);
}

/** Pairs the rows of each turn by their title and unit. */
export function pairRows(
  before: readonly (readonly Row[])[],
  after: readonly (readonly Row[])[],
): readonly Pair[] {
  const seen = new Set<string>();
  return (after[0] ?? []).flatMap(({ what, unit }) => {
    const ofTurns = (turns: readonly (readonly Row[])[]) =>
      turns.flatMap((rows) => {
        const row = rows.find((one) => one.what === what && one.unit === unit);
        return row === undefined ? [] : [row.raymond.median];
      });
    const [old, now] = [ofTurns(before), ofTurns(after)];
    const key = `${what} ${unit}`;
    if (seen.has(key) || old.length === 0 || old.length !== now.length) return [];
    seen.add(key);
    return [{ what, unit, before: sampleOf(old), after: sampleOf(now) }];
  });
}

/** Whether the median of the ratios of each turn is above {@link REGRESSION}. */
export function isRegression({ before, after }: Pair): boolean {
  return medianRatio(after, before) > REGRESSION;
}

/** The pairs as a table, and the number of regressions. `label`: the other build. */
export function pairsText(pairs: readonly Pair[], label: string): string {
  const rows = pairs.map((pair) => {
    const { what, unit, before, after } = pair;
    const figures = [before, after].map((sample) => sampleText(sample, unit));
    return [
      what,
      ...figures,
      medianRatio(after, before).toFixed(2),
      isRegression(pair) ? "slower" : "",
    ];
  });
  const slower = pairs.filter(isRegression).length;
  const percent = String(Math.round((REGRESSION - 1) * 100));
  const sum = `${String(slower)} of ${String(pairs.length)} figures are more than ${percent} % larger than in ${label}.`;
  return `${alignedTable(["what", label, "this build", "ratio", ""], rows)}\n\n${sum}`;
}
