/** Maximum lines of standard error in a message, and characters per line. */
const TAIL = { lines: 5, chars: 200 };

/** The last lines of standard error, to append to a message; may be empty. */
export function tail(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim().slice(0, TAIL.chars));
  const last = lines.filter((line) => line !== "").slice(-TAIL.lines);
  return last.length === 0 ? "" : ` Standard error: ${last.join(" / ")}`;
}

/** A message of the client as part of a sentence: one line, shortened, without the full stop. */
export function clause(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const short = line.length > 300 ? `${line.slice(0, 299)}…` : line;
  return short.endsWith(".") ? short.slice(0, -1) : short;
}
