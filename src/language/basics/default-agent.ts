/** The coding agent of a run without the setting `agent`. */
export const DEFAULT_AGENT = "claude";

/** The coding agent of prompts whose state names none. */
export function usualAgent({ agents }: { readonly agents?: readonly string[] | null | undefined }) {
  return agents?.[0] ?? DEFAULT_AGENT;
}
