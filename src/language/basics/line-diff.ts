/**
 * A diff of two lists: common items start with two spaces, items only in `expected` with `- `, items
 * only in `actual` with `+ `. Long common parts are shortened.
 */
export function diffLines(
  expected: readonly string[],
  actual: readonly string[],
): readonly string[] {
  return shortened(align(expected, actual));
}

/** Aligns the lists by their longest common subsequence. */
function align(expected: readonly string[], actual: readonly string[]): readonly string[] {
  const lengths: number[][] = [];
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = expected.length - 1; i >= 0; i -= 1) {
    const row = new Array<number>(actual.length + 1).fill(0);
    lengths[i] = row;
    for (let j = actual.length - 1; j >= 0; j -= 1) {
      row[j] =
        expected[i] === actual[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < expected.length || j < actual.length) {
    const [left, right] = [expected[i], actual[j]];
    if (left !== undefined && left === right) {
      lines.push(`  ${left}`);
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${left}`);
      i += 1;
    } else {
      lines.push(`+ ${right ?? ""}`);
      j += 1;
    }
  }
  return lines;
}

/** Common items around a difference. */
const AROUND = 3;

function shortened(lines: readonly string[]): readonly string[] {
  const differs = lines.map((line) => !line.startsWith("  "));
  const near = (index: number) =>
    differs.slice(Math.max(0, index - AROUND), index + AROUND + 1).includes(true);
  const shown: string[] = [];
  let hidden = 0;
  const flushHidden = () => {
    if (hidden > 0) shown.push(`  … ${String(hidden)} more`);
    hidden = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (near(index)) {
      flushHidden();
      shown.push(line);
    } else hidden += 1;
  }
  flushHidden();
  return shown;
}
