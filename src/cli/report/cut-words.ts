/** A text as far as a page has room for it; where something is cut, it says how much. */
export function cutWords(text: string, most = 2_000): string {
  if (text.length <= most) return text;
  // Not between the halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)} … (${String(text.length - end)} more characters)`;
}
