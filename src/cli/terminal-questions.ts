import type { Observer } from "../engine/ports/observer.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { printable } from "../log/printable.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import type { Facts } from "../run/driving.ts";
import type { Shell } from "./shell.ts";

type Asked = Extract<Event, { type: "agent.asked" }>;

/** Asks questions of agents at the terminal of a run, one after the other, until each is answered here or elsewhere. Null without a terminal. */
export function terminalQuestions({ ask, err, style }: Shell) {
  if (ask === null) return null;
  const open: Asked[] = [];
  const over = new AbortController();
  /** The question on the last line. `stop` withdraws it. */
  let current: { readonly number: number; readonly stop: AbortController } | null = null;
  let prompt = "";
  let attended = true;
  let asking = false;

  const write = (text: string): void => {
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
    const line = await ask("", AbortSignal.any([stop.signal, over.signal]));
    prompt = "";
    current = null;
    if (line === null) {
      // Answered elsewhere, or end of input.
      if (!stop.signal.aborted && !over.signal.aborted) attended = false;
      return;
    }
    if (line.trim() === "") return;
    try {
      await answer(asked.agent, line);
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
      // A failure of the terminal must not affect the run: it stops as without a terminal.
      attended = false;
      err.line(printable(String(error)));
    } finally {
      asking = false;
    }
  };
  const whose = (agent: AgentId) => (open.length > 1 || agent !== "main" ? ` ${agent}` : "");

  return {
    /** False after the end of input: no more questions are asked. */
    attended: (): boolean => attended,
    /** Writes text above the open question, which stays on the last line. */
    write,
    observer: ({ answer }: Pick<Facts, "answer">): Observer => ({
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
    end: (): void => {
      stopAsking(over);
    },
  };
}

/** Moves to the start of the line and erases it. */
const CLEAR = "\r\u001B[K";

/** Errors after which another answer is possible. */
const AGAIN: ReadonlySet<string> = new Set(["run/not-an-option", "run/empty-answer"]);

function choices({ options }: Asked): string {
  return options === null ? "" : ` (${options.join(" | ")})`;
}
