import type { ManualSessions } from "../../../src/engine/ports/manual-sessions.ts";

/** There are no manual sessions. */
export const NO_MANUAL_SESSIONS: ManualSessions = {
  list: () => Promise.resolve([]),
  remove: () => Promise.resolve(),
};
