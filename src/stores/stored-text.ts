/** A long text that lies beside: `file` is relative to the run's own folder. */
export interface PayloadReference {
  readonly file: string;
  readonly bytes: number;
}

/** Says how a text stands in the state file: itself, or where it lies. */
export type StoreText = (text: string) => string | PayloadReference;

/** Gives the text that lies there. */
export type OpenText = (reference: PayloadReference) => string;
