/** Checks the working directories of agents. */
export interface Folders {
  /** The absolute, normalized folder `name`, relative to `base`; null if it is not a folder. */
  find(base: string, name: string): Promise<string | null>;
}
