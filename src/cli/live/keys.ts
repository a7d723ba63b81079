import { type Question, questionsOf } from "../../core/machine/question.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import type { Answering, KeyHelp, Person } from "../../observers/live/live-view.ts";

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

/**
 * Where the person is when the questions of the run have changed. The field of a question that is no longer asked
 * closes, unless something was typed into it: the next letters would be taken for commands.
 */
export function whereNow(at: At, run: Pick<RunState, "agents">): At {
  if (at.kind !== "answering") return at;
  const { number } = at.question;
  if (questionsOf(run).some((each) => each.number === number)) return at;
  return at.text === "" || at.sending ? WATCHING : at;
}

/** The empty field of a question. */
export function answering(question: Question): Answering {
  return { kind: "answering", question, text: "", sending: false };
}

/** Where the person is once an answer was accepted, or rejected: then its field is as it was before Enter. */
export function afterAnswer(at: At, { number }: Question, accepted: boolean): At {
  if (at.kind !== "answering" || !at.sending || at.question.number !== number) return at;
  return accepted ? WATCHING : { ...at, sending: false };
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
      return [question === undefined ? WATCHING : answering(question), null];
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

function type(at: Answering, { text, name, ctrl }: Key): readonly [At, KeyWish | null] {
  const { question } = at;
  if (at.sending) return [at, null];
  switch (name) {
    case "escape":
      return [WATCHING, null];
    case "return":
    case "enter":
      return at.text.trim() === ""
        ? [at, null]
        : [
            { ...at, sending: true },
            { type: "answer", question, text: at.text },
          ];
    case "backspace":
      return [{ ...at, text: Array.from(at.text).slice(0, -1).join("") }, null];
  }
  if (ctrl) return [name === "u" ? { ...at, text: "" } : at, null];
  return [{ ...at, text: at.text + text }, null];
}
