/** Folders that agents work in, as a port: the only thing a transition asks of the file system. */
export interface Folders {
  /** The absolute, normalised folder that `name` is from `base`; null where it is no folder. */
  find(base: string, name: string): Promise<string | null>;
}
