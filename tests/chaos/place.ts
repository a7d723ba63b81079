import path from "node:path";

/** The project's folder. */
export const ROOT = path.join(import.meta.dirname, "..", "..");

/** The command line of `entry.ts`: raymond on a system with fault injection. */
export const CHAOS_MAIN = path.join(ROOT, ".cache", "chaos", "cli", "main.cjs");
