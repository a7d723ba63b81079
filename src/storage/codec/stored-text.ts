/** A text in a file of its own. `file`: relative to the run's folder. */
export interface PayloadReference {
  readonly file: string;
  readonly bytes: number;
}

/** Longer texts, in bytes of UTF-8, are stored in files of their own. */
export const INLINE_BYTES = 64 * 1024;

/** Returns a text as it is written to the state file: itself, or a reference. */
export type StoreText = (text: string) => string | PayloadReference;

/** Returns the text of a reference. */
export type OpenText = (reference: PayloadReference) => string;
