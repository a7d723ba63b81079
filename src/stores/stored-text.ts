/** A long text that lies beside: `file` is relative to the run's own folder. */
export interface PayloadReference {
  readonly file: string;
  readonly bytes: number;
}

/** Texts longer than this, in bytes of UTF-8, lie in a file of their own. */
export const INLINE_BYTES = 64 * 1024;

/** Says how a text stands in the state file: itself, or where it lies. */
export type StoreText = (text: string) => string | PayloadReference;

/** Gives the text that lies there. */
export type OpenText = (reference: PayloadReference) => string;
