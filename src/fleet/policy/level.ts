/** From the fewest permissions to all. */
export const LEVELS = ["read-only", "edit", "full"] as const;
export type Level = (typeof LEVELS)[number];
