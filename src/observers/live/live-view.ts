import { isRetrying } from "../../core/machine/activity.ts";
import type { Question } from "../../core/machine/question.ts";
import { questionsOf, shownQuestion } from "../../core/machine/question.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import type { Style } from "../style.ts";
import { answerAdvice } from "../summary.ts";
import { agentRows } from "./agent-rows.ts";
import type { Doings } from "./doing.ts";
import { fitted, widthOf } from "./fitting.ts";
import { runLine } from "./run-line.ts";

/** What there is to be drawn of a run at one moment. */
export interface Scene {
  readonly run: RunState;
  readonly doings: Doings;
  /** How the user calls raymond for this run. */
  readonly program: string;
  /** What the person at the keyboard is at; null: there is no keyboard. */
  readonly person: Person | null;
}

export interface Person {
  readonly at:
    | { readonly kind: "watching" }
    | { readonly kind: "help" }
    /** Once more, and the run stops. */
    | { readonly kind: "stopping" }
    | Answering;
  /** What has come of the last key; null: nothing is to be told. */
  readonly told: string | null;
  /** The keys that there are, each with what it does, in few words and in a sentence. */
  readonly keys: readonly KeyHelp[];
}

/** The field of an answer. It stays open until the answer is accepted, so that no letter of it becomes a command. */
export interface Answering {
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
  /** When the line of keys has it; the help has all. */
  readonly when: "always" | "asked" | "waiting";
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The live view of a run: a line an agent, its questions, a line for the run, and what the keys do. Pure. Law: no
 * line is wider than the terminal, all together leave it at least a line, and none holds a control character but
 * those of the style.
 */
export function liveView(
  { run, doings, program, person }: Scene,
  { columns, rows }: Size,
  now: number,
  style: Style,
): readonly string[] {
  // What happens scrolls above: it keeps half of the terminal.
  const room = Math.floor(rows / 2);
  if (room < 1 || columns < LEAST_COLUMNS) return [];
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

/** With fewer nothing could be read. */
const LEAST_COLUMNS = 12;

/** So many questions are shown whole; all of them stand with their agents. */
const MOST_QUESTIONS = 3;
const ANSWER = "  answer: ";

function questionLines(
  run: RunState,
  program: string,
  person: Person | null,
  columns: number,
  style: Style,
): readonly string[] {
  const questions = questionsOf(run);
  const at = person?.at;
  const answering = at?.kind === "answering" ? at.question.number : null;
  return questions
    .filter(({ number }) => number !== answering)
    .slice(0, MOST_QUESTIONS)
    .flatMap((question) => {
      const advice = answerAdvice({ id: run.id, questions }, question, program);
      const [long, short] =
        person === null ? [advice, advice] : [`press a, or elsewhere: ${advice}`, "press a"];
      // Half a command is of no use to anybody.
      const how = widthOf(`${ANSWER}${long}`) <= columns ? long : short;
      return [
        style.accent(fitted(`? ${question.agent} asks: ${shownQuestion(question)}`, columns)),
        style.dim(fitted(`${ANSWER}${how}`, columns)),
      ];
    });
}

function personLines(
  person: Person | null,
  run: RunState,
  columns: number,
  style: Style,
): readonly string[] {
  if (person === null) return [];
  const { at, told, keys } = person;
  const said = told === null ? [] : [style.strong(fitted(told, columns))];
  switch (at.kind) {
    case "watching":
      return [...said, keyLine(usefulKeys(keys, run), columns, style)];
    case "help":
      return [
        ...said,
        ...keys.map(({ key, long }) => fitted(`  ${key.padEnd(8)}${long}`, columns)),
        style.dim(fitted("any key goes back", columns)),
      ];
    case "stopping":
      return [
        ...said,
        style.warning(
          fitted("s once more: stop after the steps in flight. Any other key: go on", columns),
        ),
      ];
    case "answering":
      return [...said, ...answerLines(at, isOpen(at.question, run), columns, style)];
  }
}

function usefulKeys(keys: readonly KeyHelp[], run: RunState): readonly KeyHelp[] {
  const useful = {
    always: true,
    asked: questionsOf(run).length > 0,
    waiting: run.wait !== null || run.agents.some(isRetrying),
  };
  return keys.filter(({ when }) => useful[when]);
}

function keyLine(keys: readonly KeyHelp[], columns: number, style: Style): string {
  const parts = keys.map(({ key, short }) => `${key} ${short}`);
  while (parts.length > 1 && widthOf(parts.join("   ")) > columns) {
    // The last one is the help, which has them all.
    parts.splice(-2, 1);
  }
  return style.dim(fitted(parts.join("   "), columns));
}

/** The question, what was typed so far, and where the next character goes: of a long text the end is seen. */
function answerLines(
  { question, text, sending }: Answering,
  open: boolean,
  columns: number,
  style: Style,
): readonly string[] {
  const prompt = `${question.agent}> `;
  const room = Math.max(4, columns - widthOf(prompt) - 1);
  const typed = Array.from(text);
  while (widthOf(typed.join("")) > room) typed.shift();
  return [
    style.accent(fitted(`? ${shownQuestion(question)}`, columns)),
    fitted(`${prompt}${typed.join("")}_`, columns),
    style.dim(fitted(keysOfAnswer(sending, open), columns)),
  ];
}

function keysOfAnswer(sending: boolean, open: boolean): string {
  if (sending) return "sending the answer";
  return open ? "Enter answers, Esc goes back" : "no longer asked: Esc goes back";
}

function isOpen({ number }: Question, run: Pick<RunState, "agents">): boolean {
  return questionsOf(run).some((each) => each.number === number);
}
