/** The name of a state: a file name inside the workflow's scope, such as `REVIEW.md`. */
export type StateName = string;

/** The six words of the workflow language (docs/protocol.md). */
export const TAGS = ["goto", "reset", "call", "function", "fork", "result"] as const;
export type Tag = (typeof TAGS)[number];

/** What a state asks for next. `docs/protocol.md` is the authority on each tag. */
export type Transition =
  | { readonly tag: "goto"; readonly target: StateName }
  | { readonly tag: "reset"; readonly target: StateName; readonly cd?: string }
  | { readonly tag: "call" | "function"; readonly target: StateName; readonly returnTo: StateName }
  | {
      readonly tag: "fork";
      readonly target: StateName;
      readonly next: StateName;
      readonly cd?: string;
      /** All attributes beyond `next` and `cd`: data for the worker. */
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly tag: "result"; readonly payload: string };
