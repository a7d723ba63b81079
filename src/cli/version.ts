import manifest from "../../package.json" with { type: "json" };

/** Set by the build: the beginning of the hash of all that it was made of. */
declare const RAYMOND_BUILD: string | undefined;

/** The version of raymond, from its package.json, and which build of it this is: `0.1.0+3f9c21ab`. From source there is no build. */
export const VERSION: string =
  typeof RAYMOND_BUILD === "undefined" ? manifest.version : `${manifest.version}+${RAYMOND_BUILD}`;
