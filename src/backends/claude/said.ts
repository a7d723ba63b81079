/** Lines of standard error that a message carries at most, and characters of each. */
const TAIL = { lines: 5, chars: 200 };

/** The last lines of standard error as the end of a message; empty where there are none. */
export function tail(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim().slice(0, TAIL.chars));
  const last = lines.filter((line) => line !== "").slice(-TAIL.lines);
  return last.length === 0 ? "" : ` Its standard error ends with: ${last.join(" / ")}`;
}

/** Words of the client as a clause of a sentence: one line, shortened, without its full stop. */
export function clause(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const short = line.length > 300 ? `${line.slice(0, 299)}…` : line;
  return short.endsWith(".") ? short.slice(0, -1) : short;
}
