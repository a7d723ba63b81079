/** `1 step`, `2 steps`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${String(n)} ${n === 1 ? noun : plural}`;
}
