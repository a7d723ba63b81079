import manifest from "../../../package.json" with { type: "json" };

/** Set by the build: the start of the hash of its sources. */
declare const RAYMOND_BUILD: string | undefined;

/** The version with its build, such as `0.1.0+3f9c21ab`. From source there is no build. */
export const VERSION: string =
  typeof RAYMOND_BUILD === "undefined" ? manifest.version : `${manifest.version}+${RAYMOND_BUILD}`;
