import { type Question, questionsOf } from "../../core/machine/question.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import type { KeyHelp, Person } from "../../observers/live/live-view.ts";

/** A key as the terminal tells it. */
export interface Key {
  /** What it writes; empty where it writes nothing. */
  readonly text: string;
  /** Such as `escape`, `return`, `c`. */
  readonly name: string;
  readonly ctrl: boolean;
}

/** What a person wants who has pressed a key. */
export type KeyWish =
  | { readonly type: "stop" }
  | { readonly type: "retry" }
  | { readonly type: "answer"; readonly question: Question; readonly text: string }
  | { readonly type: "open" }
  | { readonly type: "verbose" }
  /** As Ctrl-C does: the run is stopped, and who only watches it leaves. */
  | { readonly type: "break-off" }
  | { readonly type: "suspend" };

type At = Person["at"];

const WATCHING: At = { kind: "watching" };

/** The keys of a run that is driven here. */
export const KEYS: readonly KeyHelp[] = [
  { key: "a", short: "answer", long: "answer what an agent asks", when: "asked" },
  {
    key: "s",
    short: "stop",
    long: "stop after the steps in flight; it can be resumed",
    when: "always",
  },
  {
    key: "r",
    short: "retry now",
    long: "wait no longer for a usage limit or an outage",
    when: "waiting",
  },
  { key: "o", short: "open", long: "show how a conversation is opened", when: "always" },
  { key: "v", short: "verbose", long: "show everything, or no longer", when: "always" },
  {
    key: "?",
    short: "help",
    long: "show this; Ctrl-C stops at once, Ctrl-Z suspends",
    when: "always",
  },
];

/** The keys of one who watches a run of another process. */
export const KEYS_OF_ATTACHED: readonly KeyHelp[] = [
  {
    key: "q",
    short: "leave",
    long: "leave; the run goes on. Ctrl-C does the same",
    when: "always",
  },
  ...KEYS.slice(0, -1),
  { key: "?", short: "help", long: "show this", when: "always" },
];

/** What a key does: where the person is then, and what is wanted; null: nothing more. */
export function press(
  at: At,
  key: Key,
  run: Pick<RunState, "agents">,
  attached: boolean,
): readonly [At, KeyWish | null] {
  if (key.ctrl) {
    if (key.name === "c") return [at, { type: "break-off" }];
    if (key.name === "z") return [at, { type: "suspend" }];
  }
  switch (at.kind) {
    case "answering":
      return type(at, key);
    case "help":
      return [WATCHING, null];
    case "stopping":
      return [WATCHING, key.text === "s" ? { type: "stop" } : null];
    case "watching":
      return choose(key, run, attached);
  }
}

/** Where the person is when the questions of the run have changed: what was answered elsewhere is asked no more. */
export function whereNow(at: At, run: Pick<RunState, "agents">): At {
  if (at.kind !== "answering") return at;
  const { number } = at.question;
  return questionsOf(run).some((each) => each.number === number) ? at : WATCHING;
}

function choose(
  { text, ctrl }: Key,
  run: Pick<RunState, "agents">,
  attached: boolean,
): readonly [At, KeyWish | null] {
  if (ctrl) return [WATCHING, null];
  switch (text) {
    case "s":
      return [{ kind: "stopping" }, null];
    case "r":
      return [WATCHING, { type: "retry" }];
    case "a": {
      const [question] = questionsOf(run);
      return [question === undefined ? WATCHING : { kind: "answering", question, text: "" }, null];
    }
    case "o":
      return [WATCHING, { type: "open" }];
    case "v":
      return [WATCHING, { type: "verbose" }];
    case "?":
    case "h":
      return [{ kind: "help" }, null];
    case "q":
      return [WATCHING, attached ? { type: "break-off" } : null];
    default:
      return [WATCHING, null];
  }
}

function type(
  at: Extract<At, { kind: "answering" }>,
  { text, name, ctrl }: Key,
): readonly [At, KeyWish | null] {
  const { question } = at;
  switch (name) {
    case "escape":
      return [WATCHING, null];
    case "return":
    case "enter":
      return at.text.trim() === ""
        ? [at, null]
        : [WATCHING, { type: "answer", question, text: at.text }];
    case "backspace":
      return [{ ...at, text: Array.from(at.text).slice(0, -1).join("") }, null];
  }
  if (ctrl) return [name === "u" ? { ...at, text: "" } : at, null];
  return [{ ...at, text: at.text + text }, null];
}
