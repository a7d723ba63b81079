/** Cuts a text to `most` characters, and says how many were cut. */
export function cutWords(text: string, most = 2_000): string {
  if (text.length <= most) return text;
  // Does not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)} … (${String(text.length - end)} more characters)`;
}
