/** Options that several subcommands have, with their help. Where the runs are: */
export const STATE_FLAG = "--state-dir <dir>";
export const STATE_DIR = { [STATE_FLAG]: "where the runs are, in place of .raymond" };
/** Whether the runs of a fleet are meant. */
export const FLEET_FLAGS = {
  "--fleet": "the runs of a fleet, which RAYMOND_FLEET names; where that is set, they are meant",
  "--no-fleet": "the runs of this project all the same",
};
/** Of commands that look at runs wherever they are, and tell them what to do. */
export const RUNS = { ...STATE_DIR, ...FLEET_FLAGS };
/** The same of commands that take no run of a fleet. */
export const NOT_IN_FLEET = {
  "--fleet": "refused: it takes no run of a fleet",
  "--no-fleet": "a run of this project, also where RAYMOND_FLEET is set",
};
export const URL_FLAG = {
  "--url <url>": "the database, postgresql://…, in place of what RAYMOND_FLEET says",
};
export const JSON_FLAG = { "--json": "print one JSON object" };
export const TAKE_OVER = { "--take-over": "take a holder that cannot be seen from here for dead" };
