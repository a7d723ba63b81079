import { isRetrying } from "../../machine/activity.ts";
import type { Question } from "../../machine/move/question.ts";
import { formatQuestion, questionsOf } from "../../machine/move/question.ts";
import type { RunState } from "../../machine/run-state.ts";
import type { Style } from "../style.ts";
import { answerAdvice } from "../summary.ts";
import type { Activities } from "./activities.ts";
import { agentRows } from "./agent-rows.ts";
import { runLine } from "./run-line.ts";
import { truncateToWidth, widthOf } from "./text-width.ts";

/** The input of the live view at one moment. */
export interface Scene {
  readonly run: RunState;
  readonly activities: Activities;
  /** The command prefix in printed commands. */
  readonly program: string;
  /** State of the keyboard interface; null: no keyboard. */
  readonly interaction: Interaction | null;
}

export interface Interaction {
  readonly mode:
    | { readonly kind: "watching" }
    | { readonly kind: "help" }
    /** Stop was pressed once and needs a confirmation. */
    | { readonly kind: "stopping" }
    | AnswerInput;
  /** Result of the last key; null: none. */
  readonly message: string | null;
  readonly keys: readonly KeyHelp[];
}

/** The input field of an answer. It stays open until the answer is accepted, so that no letter acts as a key. */
export interface AnswerInput {
  readonly kind: "answering";
  readonly question: Question;
  readonly text: string;
  /** Enter was pressed, and the answer is neither accepted nor rejected yet. */
  readonly sending: boolean;
}

export interface KeyHelp {
  readonly key: string;
  readonly short: string;
  readonly long: string;
  /** When the key line shows it. The help shows all keys. */
  readonly when: "always" | "asked" | "waiting";
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The live view of a run: a line per agent, open questions, a line for the run, and the keys. Invariants: no line is
 * wider than the terminal, the view leaves at least one line free, and only the style adds control characters.
 */
export function liveView(
  { run, activities: doings, program, interaction: person }: Scene,
  { columns, rows }: Size,
  now: number,
  style: Style,
): readonly string[] {
  // Half of the terminal is for the log, which scrolls above.
  const room = Math.floor(rows / 2);
  if (room < 1 || columns < MIN_COLUMNS) return [];
  const own = personLines(person, run, columns, style).slice(0, room);
  const state = room > own.length ? [runLine(run, columns, now, style)] : [];
  let left = room - own.length - state.length;
  const rule = rows >= 12 && left > 0 ? [style.dim("-".repeat(columns))] : [];
  left -= rule.length;
  const asked = questionLines(run, program, person, columns, style).slice(0, Math.max(0, left - 1));
  left -= asked.length;
  const agents = agentRows(run, doings, { columns, rows: left }, now, style);
  return [...rule, ...agents, ...asked, ...state, ...own];
}

const MIN_COLUMNS = 12;

/** Further questions are only in the rows of their agents. */
const MAX_QUESTIONS = 3;
const ANSWER = "  answer: ";

function questionLines(
  run: RunState,
  program: string,
  person: Interaction | null,
  columns: number,
  style: Style,
): readonly string[] {
  const questions = questionsOf(run);
  const at = person?.mode;
  const answering = at?.kind === "answering" ? at.question.number : null;
  return questions
    .filter(({ number }) => number !== answering)
    .slice(0, MAX_QUESTIONS)
    .flatMap((question) => {
      const advice = answerAdvice({ id: run.id, questions }, question, program);
      const [long, short] =
        person === null ? [advice, advice] : [`press a, or run: ${advice}`, "press a"];
      // A command is shown only if it fits.
      const how = widthOf(`${ANSWER}${long}`) <= columns ? long : short;
      return [
        style.accent(
          truncateToWidth(`? ${question.agent} asks: ${formatQuestion(question)}`, columns),
        ),
        style.dim(truncateToWidth(`${ANSWER}${how}`, columns)),
      ];
    });
}

function personLines(
  person: Interaction | null,
  run: RunState,
  columns: number,
  style: Style,
): readonly string[] {
  if (person === null) return [];
  const { mode: at, message, keys } = person;
  const messageLine = message === null ? [] : [style.strong(truncateToWidth(message, columns))];
  switch (at.kind) {
    case "watching":
      return [...messageLine, keyLine(availableKeys(keys, run), columns, style)];
    case "help":
      return [
        ...messageLine,
        ...keys.map(({ key, long }) => truncateToWidth(`  ${key.padEnd(8)}${long}`, columns)),
        style.dim(truncateToWidth("press any key to go back", columns)),
      ];
    case "stopping":
      return [
        ...messageLine,
        style.warning(
          truncateToWidth(
            "press s again to stop after the steps in flight, any other key to continue",
            columns,
          ),
        ),
      ];
    case "answering":
      return [...messageLine, ...answerLines(at, isOpen(at.question, run), columns, style)];
  }
}

function availableKeys(keys: readonly KeyHelp[], run: RunState): readonly KeyHelp[] {
  const available = {
    always: true,
    asked: questionsOf(run).length > 0,
    waiting: run.wait !== null || run.agents.some(isRetrying),
  };
  return keys.filter(({ when }) => available[when]);
}

function keyLine(keys: readonly KeyHelp[], columns: number, style: Style): string {
  const parts = keys.map(({ key, short }) => `${key} ${short}`);
  while (parts.length > 1 && widthOf(parts.join("   ")) > columns) {
    // The last one is the help, which lists all keys.
    parts.splice(-2, 1);
  }
  return style.dim(truncateToWidth(parts.join("   "), columns));
}

/** The question, the input so far (the end of a long one) and the cursor. */
function answerLines(
  { question, text, sending }: AnswerInput,
  open: boolean,
  columns: number,
  style: Style,
): readonly string[] {
  const prompt = `${question.agent}> `;
  const room = Math.max(4, columns - widthOf(prompt) - 1);
  const typed = Array.from(text);
  while (widthOf(typed.join("")) > room) typed.shift();
  return [
    style.accent(truncateToWidth(`? ${formatQuestion(question)}`, columns)),
    truncateToWidth(`${prompt}${typed.join("")}_`, columns),
    style.dim(truncateToWidth(keysOfAnswer(sending, open), columns)),
  ];
}

function keysOfAnswer(sending: boolean, open: boolean): string {
  if (sending) return "sending the answer";
  return open ? "Enter: send, Esc: cancel" : "no longer asked, Esc: close";
}

function isOpen({ number }: Question, run: Pick<RunState, "agents">): boolean {
  return questionsOf(run).some((each) => each.number === number);
}
