/** Offsets; `end` is exclusive. */
export interface CodeRegion {
  readonly start: number;
  readonly end: number;
}

/** An unbroken run of backticks. */
export interface BacktickRun {
  readonly start: number;
  readonly length: number;
  /** After a backslash, the first backtick of an opening run is text. */
  readonly escaped: boolean;
}

/** The runs of backticks in a line that starts at offset `base`. */
export function backtickRuns(line: string, base: number): readonly BacktickRun[] {
  const runs: BacktickRun[] = [];
  let at = line.indexOf("`");
  while (at !== -1) {
    let end = at;
    while (line[end] === "`") end += 1;
    let slashes = at;
    while (line[slashes - 1] === "\\") slashes -= 1;
    runs.push({ start: base + at, length: end - at, escaped: (at - slashes) % 2 === 1 });
    at = line.indexOf("`", end);
  }
  return runs;
}

/** The code spans of one block: each opening run with the next run of the same length. */
export function codeSpans(runs: readonly BacktickRun[]): readonly CodeRegion[] {
  const byLength = groupByLength(runs);
  const passed = new Map<number, number>();
  const spans: CodeRegion[] = [];
  let free = 0;
  for (const run of runs) {
    if (run.start < free) continue;
    const length = run.escaped ? run.length - 1 : run.length;
    const candidates = byLength.get(length) ?? [];
    // Runs are in ascending order: passed candidates are not checked again.
    let index = passed.get(length) ?? 0;
    while ((candidates[index]?.start ?? Infinity) <= run.start) index += 1;
    passed.set(length, index);
    const closer = candidates[index];
    if (closer === undefined) continue;
    free = closer.start + closer.length;
    spans.push({ start: run.start + run.length - length, end: free });
  }
  return spans;
}

function groupByLength(runs: readonly BacktickRun[]): ReadonlyMap<number, readonly BacktickRun[]> {
  const groups = new Map<number, BacktickRun[]>();
  for (const run of runs) {
    const group = groups.get(run.length);
    if (group === undefined) groups.set(run.length, [run]);
    else group.push(run);
  }
  return groups;
}
