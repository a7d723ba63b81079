const OPENING = /^(`{3,}|~{3,})[ \t]*(?:json)?$/i;

/** A text that is one fenced Markdown block, without the fence. Other texts are returned unchanged. */
export function unfenced(text: string): string {
  const trimmed = text.trim();
  const first = trimmed.indexOf("\n");
  const last = trimmed.lastIndexOf("\n");
  const opening = first === -1 ? null : OPENING.exec(trimmed.slice(0, first).trimEnd());
  if (opening === null || trimmed.slice(last + 1).trim() !== opening[1]) return text;
  return trimmed.slice(first + 1, Math.max(first + 1, last));
}
