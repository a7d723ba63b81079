/** A text as one word of a command that the user may copy. */
export function shellWord(text: string, windows: boolean = process.platform === "win32"): string {
  if (/^[\w./:\\-]+$/.test(text) && (windows || !text.includes("\\"))) return text;
  return windows ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
