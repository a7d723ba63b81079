import type { AnswerInput, Interaction, KeyHelp } from "../../console/live/live-view.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { type Question, questionsOf } from "../../machine/moves/question.ts";

export interface Key {
  /** The character that it writes, or an empty string. */
  readonly text: string;
  /** Such as `escape`, `return`, `c`. */
  readonly name: string;
  readonly ctrl: boolean;
}

export type KeyAction =
  | { readonly type: "stop" }
  | { readonly type: "retry" }
  | { readonly type: "answer"; readonly question: Question; readonly text: string }
  | { readonly type: "open" }
  | { readonly type: "verbose" }
  /** Ctrl-C: stops the run, or detaches from a run of another process. */
  | { readonly type: "break-off" }
  | { readonly type: "suspend" };

type At = Interaction["mode"];

const WATCHING: At = { kind: "watching" };

/** Keys of a run in this process. */
export const KEYS: readonly KeyHelp[] = [
  { key: "a", short: "answer", long: "answer an agent's question", when: "asked" },
  {
    key: "s",
    short: "stop",
    long: "stop after the steps in flight (resumable)",
    when: "always",
  },
  {
    key: "r",
    short: "retry now",
    long: "end waits for delays, usage limits and outages",
    when: "waiting",
  },
  { key: "o", short: "open", long: "show how to open a conversation", when: "always" },
  { key: "v", short: "verbose", long: "switch verbose output on or off", when: "always" },
  {
    key: "?",
    short: "help",
    long: "show this help; Ctrl-C stops at once, Ctrl-Z suspends",
    when: "always",
  },
];

/** Keys of a run in another process. */
export const KEYS_OF_ATTACHED: readonly KeyHelp[] = [
  {
    key: "q",
    short: "detach",
    long: "detach; the run continues (also Ctrl-C)",
    when: "always",
  },
  ...KEYS.slice(0, -1),
  { key: "?", short: "help", long: "show this help", when: "always" },
];

/** The next mode of the view, and the action of the key. */
export function press(
  at: At,
  key: Key,
  run: Pick<RunState, "agents">,
  attached: boolean,
): readonly [At, KeyAction | null] {
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
 * The mode after the questions of the run have changed. The field of a closed question closes only if it is empty:
 * otherwise the next letters would be read as commands.
 */
export function whereNow(at: At, run: Pick<RunState, "agents">): At {
  if (at.kind !== "answering") return at;
  const { number } = at.question;
  if (questionsOf(run).some((each) => each.number === number)) return at;
  return at.text === "" || at.sending ? WATCHING : at;
}

/** The empty field of a question. */
export function answering(question: Question): AnswerInput {
  return { kind: "answering", question, text: "", sending: false };
}

/** The mode after an answer was accepted or rejected. A rejected answer stays in its field. */
export function afterAnswer(at: At, { number }: Question, accepted: boolean): At {
  if (at.kind !== "answering" || !at.sending || at.question.number !== number) return at;
  return accepted ? WATCHING : { ...at, sending: false };
}

function choose(
  { text, ctrl }: Key,
  run: Pick<RunState, "agents">,
  attached: boolean,
): readonly [At, KeyAction | null] {
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

function type(at: AnswerInput, { text, name, ctrl }: Key): readonly [At, KeyAction | null] {
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
