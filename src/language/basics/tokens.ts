/** `950`, `45k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${String(Math.round(tokens / 1_000))}k`;
  return `${(tokens / 1e6).toFixed(1)}M`;
}

/** `45k of 200k tokens (23 %)`. */
export function formatContext({
  tokens,
  window,
}: {
  readonly tokens: number;
  readonly window: number | null;
}): string {
  const share = formatShare(tokens, window);
  if (window === null || share === null) return `${formatTokens(tokens)} tokens`;
  return `${formatTokens(tokens)} of ${formatTokens(window)} tokens (${share})`;
}

/** `23 %`; null if the window is unknown. */
export function formatShare(tokens: number, window: number | null): string | null {
  if (window === null || window === 0) return null;
  return `${String(Math.round((100 * tokens) / window))} %`;
}
