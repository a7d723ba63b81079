/** Bytes in the largest unit that leaves a number above one. */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const digits = power === 0 ? 0 : 1;
  return `${(bytes / 1024 ** power).toFixed(digits)} ${units[power] ?? ""}`;
}
