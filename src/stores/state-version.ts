/** Of the state files that are written; read are the older ones as well (`upgrade.ts`). */
export const STATE_VERSION = 4;
