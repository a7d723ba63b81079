import { firstWait } from "../../machine/backends/backend-waits.ts";
import { isRetrying } from "../../machine/model/activity.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Question } from "../../machine/moves/question.ts";
import { formatQuestion, questionsOf } from "../../machine/moves/question.ts";
import type { Tone } from "../line.ts";
import { paint, type Style } from "../style.ts";
import { answerAdvice } from "../summary.ts";
import type { Activities } from "./activities.ts";
import { agentRows } from "./agent-rows.ts";
import { runLine } from "./run-line.ts";
import { truncateToWidth, widthOf } from "./text-width.ts";

/** The input of the live view at one moment. */
export interface Scene {
  readonly run: RunState;
  readonly activities: Activities;
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
  scene: Scene,
  { columns, rows }: Size,
  now: number,
  style: Style,
): readonly string[] {
  // Half of the terminal is for the log, which scrolls above.
  const room = Math.floor(rows / 2);
  if (room < 1 || columns < MIN_COLUMNS) return [];
  const { run, activities } = scene;
  const show: Show = (tone, text) => paint(tone, truncateToWidth(text, columns), style);
  const own = interactionLines(scene, columns, show).slice(0, room);
  const state = room > own.length ? [runLine(run, columns, now, style)] : [];
  let left = room - own.length - state.length;
  const rule = rows >= 12 && left > 0 ? [style.dim("-".repeat(columns))] : [];
  left -= rule.length;
  const asked = questionLines(scene, columns, show).slice(0, Math.max(0, left - 1));
  left -= asked.length;
  const agents = agentRows(run, activities, { columns, rows: left }, now, style);
  return [...rule, ...agents, ...asked, ...state, ...own];
}

/** Cuts a text to the width of the terminal. */
type Show = (tone: Tone, text: string) => string;

const MIN_COLUMNS = 12;

/** Further questions are only in the rows of their agents. */
const MAX_QUESTIONS = 3;
const ANSWER = "  answer: ";

function questionLines(
  { run, program, interaction }: Scene,
  columns: number,
  show: Show,
): readonly string[] {
  const questions = questionsOf(run);
  const mode = interaction?.mode;
  const answering = mode?.kind === "answering" ? mode.question.number : null;
  return questions
    .filter(({ number }) => number !== answering)
    .slice(0, MAX_QUESTIONS)
    .flatMap((question) => {
      const advice = answerAdvice({ id: run.id, questions }, question, program);
      const [long, short] =
        interaction === null ? [advice, advice] : [`press a, or run: ${advice}`, "press a"];
      // A command is shown only if it fits.
      const how = widthOf(`${ANSWER}${long}`) <= columns ? long : short;
      return [
        show("accent", `? ${question.agent} asks: ${formatQuestion(question)}`),
        show("dim", `${ANSWER}${how}`),
      ];
    });
}

function interactionLines(
  { run, interaction }: Scene,
  columns: number,
  show: Show,
): readonly string[] {
  if (interaction === null) return [];
  const { mode, message, keys } = interaction;
  const messageLine = message === null ? [] : [show("header", message)];
  switch (mode.kind) {
    case "watching":
      return [...messageLine, show("dim", keyLine(availableKeys(keys, run), columns))];
    case "help":
      return [
        ...messageLine,
        ...keys.map(({ key, long }) => show("plain", `  ${key.padEnd(8)}${long}`)),
        show("dim", "press any key to go back"),
      ];
    case "stopping": {
      const text = "press s again to stop after the steps in flight, any other key to continue";
      return [...messageLine, show("warning", text)];
    }
    case "answering":
      return [...messageLine, ...answerLines(mode, run, columns, show)];
  }
}

function availableKeys(keys: readonly KeyHelp[], run: RunState): readonly KeyHelp[] {
  const available = {
    always: true,
    asked: questionsOf(run).length > 0,
    waiting: firstWait(run) !== null || run.agents.some(isRetrying),
  };
  return keys.filter(({ when }) => available[when]);
}

function keyLine(keys: readonly KeyHelp[], columns: number): string {
  const parts = keys.map(({ key, short }) => `${key} ${short}`);
  while (parts.length > 1 && widthOf(parts.join("   ")) > columns) {
    // The last one is the help, which lists all keys.
    parts.splice(-2, 1);
  }
  return parts.join("   ");
}

/** The question, the input so far (the end of a long one) and the cursor. */
function answerLines(
  { question, text, sending }: AnswerInput,
  run: RunState,
  columns: number,
  show: Show,
): readonly string[] {
  const prompt = `${question.agent}> `;
  const room = Math.max(4, columns - widthOf(prompt) - 1);
  const typed = Array.from(text);
  while (widthOf(typed.join("")) > room) typed.shift();
  const isOpen = questionsOf(run).some(({ number }) => number === question.number);
  const help = isOpen ? "Enter: send, Esc: cancel" : "no longer asked, Esc: close";
  return [
    show("accent", `? ${formatQuestion(question)}`),
    show("plain", `${prompt}${typed.join("")}_`),
    show("dim", sending ? "sending the answer" : help),
  ];
}
