/** Whether a text can be the name of a coding agent. Which names exist is not part of the language. */
export function isAgentName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,62}$/.test(text);
}
