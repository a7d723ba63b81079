// Input and output of the second interpreter of the workflow language.

/** What the language needs to know of a state file. */
export interface State {
  /** Its full name. */
  readonly name: string;
  /** The one tag that its rules leave it; null where there is a choice. */
  readonly implied: string | null;
  /** The payload that its rules give to the state of a `goto` without `input`. */
  readonly gives: string | null;
  /** The one payload that its rules let through. */
  readonly answer: string | null;
  /** Where a script goes that has failed. */
  readonly onError: string | null;
  /** The state that takes over a conversation that is too large. */
  readonly onContext: string | null;
}

/** A conversation as the steps that it holds. A branch to be made shows the same as what it copies. */
export interface Conversation {
  readonly mode: "fresh" | "resume" | "branch";
  readonly history: readonly string[];
}

/** An agent before its n-th step, and the effect of that step. */
export interface Moment {
  readonly agent: string;
  readonly n: number;
  /** Its full name, as all names of a moment are. */
  readonly state: string;
  readonly session: Conversation;
  readonly stack: readonly { readonly session: Conversation; readonly state: string }[];
  readonly cwd: string;
  readonly pending: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly forks: number;
  /** It is to wait before this step: how long, as it was said. */
  readonly delay: string | null;
  /** It is to wait for its workers before this step. */
  readonly joins: Join | null;
  /** It is to wait for a person before this step. */
  readonly asks: Ask | null;
  /** The state that its conversation was too large for: it was led here in its place. */
  readonly wanted: string | null;
}

/** For how many workers, and where an agent goes whose time is over. */
export interface Join {
  readonly min: number | null;
  readonly late: string | null;
}

/** A question to a person, and the state after its timeout. */
export interface Ask {
  readonly question: string;
  /** The answers that there are; null: any text. */
  readonly options: readonly string[] | null;
  /** As written; null: none. */
  readonly timeout: string | null;
  readonly late: string | null;
  readonly input: string | null;
}

/** What the language leaves to time and to failures, by `agent#n`. */
export interface Turns {
  /** The workers that a join with `min` or `timeout` has taken, and whether its time was over. */
  readonly joined: ReadonlyMap<
    string,
    { readonly taken: readonly string[]; readonly late: boolean }
  >;
  /** The answer; null: timed out. */
  readonly answered: ReadonlyMap<string, string | null>;
  /** The error of a worker that has failed in this step, where that is reported. */
  readonly failed: ReadonlyMap<string, object>;
  /** Steps that were not made, because their conversation was too large. */
  readonly handedOver: ReadonlySet<string>;
}

export interface Past extends Moment {
  /** The workers that the step started, in the order of its text. */
  readonly workers: readonly string[];
  /** The result by which the step ended its agent. */
  readonly result: string | null;
}

export type Advanced = { readonly said: string } | { readonly failed: string };
