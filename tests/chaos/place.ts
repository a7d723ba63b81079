import path from "node:path";

/** The project's folder. */
export const ROOT = path.join(import.meta.dirname, "..", "..");

/** The command line of `entry.ts`: raymond in a world that a test can disturb. */
export const CHAOS_MAIN = path.join(ROOT, ".cache", "chaos", "cli", "main.cjs");
