/** What a judgement needs to know of the world, once somebody has looked. */
export interface Circumstances {
  /** By what the output says as `cd`: the absolute folder, where it exists and is one. */
  readonly folders: ReadonlyMap<string, string>;
  /** `--lost-session`: whether a conversation that is gone may be forgotten. */
  readonly lostSession: "fail" | "fresh";
}
