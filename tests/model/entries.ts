/** One entry of what a join hands over. */
export interface Entry {
  readonly agent: string;
  readonly ok: boolean | null;
  readonly error?: object;
}

/** The workers in the payload of a join; empty for other payloads. */
export function entriesOf(payload: string | null): readonly Entry[] {
  if (payload?.startsWith("[") !== true) return [];
  try {
    return JSON.parse(payload) as readonly Entry[];
  } catch {
    // Some steps give texts that only begin like one.
    return [];
  }
}

/** Whether a join with this `min` need not wait for those that live on. */
export function isEnough(entries: readonly Pick<Entry, "ok">[], min: number | null): boolean {
  const living = entries.filter(({ ok }) => ok === null).length;
  const well = entries.filter(({ ok }) => ok === true).length;
  return living === 0 || (min !== null && (well >= min || well + living < min));
}
