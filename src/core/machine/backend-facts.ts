/** What the rules of a run must know of the backend that answers its prompts. */
export interface BackendFacts {
  /** By which a run keeps it. */
  readonly name: string;
  readonly can: Abilities;
}

/** What a backend can besides answering a prompt in a new conversation (docs/contributing.md, "Add a backend"). */
export interface Abilities {
  /** Begin a conversation that knows another's history and adds nothing to it, as `<call>` does. */
  readonly branch: boolean;
  /** Go on with a conversation that it has held. */
  readonly resume: boolean;
  /** Think harder or less hard when it is told to. */
  readonly effort: boolean;
  /** End a call by itself when the call has spent what it may. */
  readonly budget: boolean;
  /** Hold a call to lists of tools. */
  readonly tools: boolean;
}
