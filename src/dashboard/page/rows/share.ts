/** The used share of a limit, 0 to 1; null without a limit. */
export function shareOf(used: number, most: number | null): number | null {
  return most === null || most === 0 ? null : Math.min(1, used / most);
}
