/**
 * Two lists of words as lines: what both have with two blanks before it, what is
 * only expected with `- `, what has only happened with `+ `. Of a long row that
 * both have, its ends are shown.
 */
export function diffLines(
  expected: readonly string[],
  happened: readonly string[],
): readonly string[] {
  return shortened(align(expected, happened));
}

/** By the longest row that both have in this order. */
function align(expected: readonly string[], happened: readonly string[]): readonly string[] {
  const lengths: number[][] = [];
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = expected.length - 1; i >= 0; i -= 1) {
    const row = new Array<number>(happened.length + 1).fill(0);
    lengths[i] = row;
    for (let j = happened.length - 1; j >= 0; j -= 1) {
      row[j] =
        expected[i] === happened[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < expected.length || j < happened.length) {
    const [left, right] = [expected[i], happened[j]];
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

/** Words beside a difference that are shown. */
const AROUND = 3;

function shortened(lines: readonly string[]): readonly string[] {
  const differs = lines.map((line) => !line.startsWith("  "));
  const near = (index: number) =>
    differs.slice(Math.max(0, index - AROUND), index + AROUND + 1).includes(true);
  const shown: string[] = [];
  let hidden = 0;
  const tellHidden = () => {
    if (hidden > 0) shown.push(`  … ${String(hidden)} more`);
    hidden = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (near(index)) {
      tellHidden();
      shown.push(line);
    } else hidden += 1;
  }
  tellHidden();
  return shown;
}
