/** Checks working directories and paths of agents. */
export interface Folders {
  /** The absolute, normalized folder `name`, relative to `base`; null if it is not a folder. */
  find(base: string, name: string): Promise<string | null>;
  /** A path that is absolute or starts with `~/`, and its target if it goes through links. */
  withTarget(place: string): readonly string[];
}
