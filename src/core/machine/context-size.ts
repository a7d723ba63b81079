/** How much of its window a conversation fills (docs/authoring.md, "A conversation that grows"). */
export interface Context {
  /** Of the last message of the main thread: input, cache and output together. */
  readonly tokens: number;
  /** What the model can hold; null: it was not said. */
  readonly window: number | null;
}

/** By session. */
export type Contexts = Readonly<Record<string, Context>>;
