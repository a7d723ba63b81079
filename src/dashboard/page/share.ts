/** What is used up of a limit, 0 to 1; null where there is none. */
export function shareOf(used: number, most: number | null): number | null {
  return most === null || most === 0 ? null : Math.min(1, used / most);
}
