export function shellWord(text: string, windows: boolean = process.platform === "win32"): string {
  if (/^[\w./:\\-]+$/.test(text) && (windows || !text.includes("\\"))) return text;
  return windows ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
