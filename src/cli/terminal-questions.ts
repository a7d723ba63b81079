import { RaymondError } from "../core/errors.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import { printable } from "../observers/printable.ts";
import type { Observer } from "../ports/observer.ts";
import type { Facts } from "../runs/driving.ts";
import type { Shell } from "./shell.ts";

type Asked = Extract<Event, { type: "agent.asked" }>;

/** Who sits at the terminal of a run, and is asked there what agents ask. */
export interface TerminalQuestions {
  /** Whether somebody sits there still. */
  readonly attended: () => boolean;
  /** For all that is written while a question stands there: it keeps the last line. */
  readonly write: (text: string) => void;
  readonly observer: (facts: Pick<Facts, "answer">) => Observer;
  /** Asks no more. */
  readonly end: () => void;
}

/**
 * Asks one question after the other, in the order in which they came, until each
 * has an answer from anywhere. Null where nobody sits there.
 */
export function terminalQuestions({ ask, err, style }: Shell): TerminalQuestions | null {
  if (ask === null) return null;
  const open: Asked[] = [];
  const over = new AbortController();
  /** Ends the question that stands there, where it is this one. */
  let current: { readonly number: number; readonly stop: AbortController } | null = null;
  let prompt = "";
  let attended = true;
  let asking = false;

  const say = (text: string): void => {
    err.write(prompt === "" ? text : `${CLEAR}${text}${prompt}`);
  };
  const stopAsking = (signal: AbortController): void => {
    if (prompt !== "") err.write(CLEAR);
    prompt = "";
    signal.abort();
  };
  const answered = (number: number): void => {
    const index = open.findIndex((asked) => asked.number === number);
    if (index !== -1) open.splice(index, 1);
    if (current?.number === number) stopAsking(current.stop);
  };
  const askOne = async (asked: Asked, answer: Facts["answer"]): Promise<void> => {
    const stop = new AbortController();
    current = { number: asked.number, stop };
    prompt = style.strong(printable(`answer${whose(asked.agent)}${choices(asked)}: `));
    err.write(prompt);
    const said = await ask("", AbortSignal.any([stop.signal, over.signal]));
    prompt = "";
    current = null;
    if (said === null) {
      // It was answered elsewhere, or the input is at its end.
      if (!stop.signal.aborted && !over.signal.aborted) attended = false;
      return;
    }
    if (said.trim() === "") return;
    try {
      await answer(asked.agent, said);
      answered(asked.number);
    } catch (error) {
      if (!(error instanceof RaymondError)) throw error;
      err.line(printable(error.message));
      if (error.hint !== undefined) err.line(printable(error.hint));
      if (!AGAIN.has(error.code)) answered(asked.number);
    }
  };
  const askAll = async (answer: Facts["answer"]): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      for (let [next] = open; next !== undefined && attended; [next] = open) {
        if (over.signal.aborted) return;
        await askOne(next, answer);
      }
    } catch (error) {
      // The run is worth more than its terminal: it stops as if nobody sat there.
      attended = false;
      err.line(printable(String(error)));
    } finally {
      asking = false;
    }
  };
  const whose = (agent: AgentId) => (open.length > 1 || agent !== "main" ? ` ${agent}` : "");

  return {
    attended: () => attended,
    write: say,
    observer: ({ answer }) => ({
      notify(event) {
        if (event.type === "agent.answered" || event.type === "agent.unanswered") {
          answered(event.number);
        }
        if (event.type === "run.ended") stopAsking(over);
        if (event.type !== "agent.asked" || !attended) return;
        open.push(event);
        void askAll(answer);
      },
    }),
    end: () => {
      stopAsking(over);
    },
  };
}

/** To the beginning of the line, and takes away what stands there. */
const CLEAR = "\r\u001B[K";

/** What is wrong with an answer that another could do better. */
const AGAIN: ReadonlySet<string> = new Set(["run/not-an-option", "run/empty-answer"]);

function choices({ options }: Asked): string {
  return options === null ? "" : ` (${options.join(" | ")})`;
}
