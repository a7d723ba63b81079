/** What a judgement needs to know of the world, once somebody has looked. */
export interface Circumstances {
  /** The absolute folder that the output's `cd` names; null where it does not exist or is none. */
  readonly folder: string | null;
  /** `--lost-session`: whether a conversation that is gone may be forgotten. */
  readonly lostSession: "fail" | "fresh";
}
