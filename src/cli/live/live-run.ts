import { RaymondError } from "../../core/errors.ts";
import type { Event } from "../../core/machine/event.ts";
import { questionsOf } from "../../core/machine/question.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import { newDoings } from "../../observers/live/doing.ts";
import { liveView, type Person, type Size } from "../../observers/live/live-view.ts";
import type { Style } from "../../observers/style.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Facts } from "../../runs/driving.ts";
import { answeredWords, retriedWords, stoppingWords } from "../outcome-words.ts";
import {
  afterAnswer,
  answering,
  KEYS,
  KEYS_OF_ATTACHED,
  type Key,
  type KeyWish,
  press,
  whereNow,
} from "./keys.ts";
import { openScreen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

/** A run that is watched on a terminal. */
export interface LiveRun {
  /** Whole lines, to stand above what is drawn. */
  readonly write: (text: string) => void;
  /** What has happened, and the run as it was saved last. */
  readonly see: (event: Event, run: RunState) => void;
  /** The run as it is now, where no event tells of it. */
  readonly show: (run: RunState) => void;
  /** Whether somebody sits there who is asked what agents ask. */
  readonly attended: () => boolean;
  /** Whether everything is to be shown. */
  readonly isVerbose: () => boolean;
  /** Gives the terminal back; idempotent. Returns the lines that it has not taken. */
  readonly end: () => string;
}

export interface LiveRunOptions
  extends Pick<Facts, "program" | "answer" | "retryNow" | "stopAfterSteps"> {
  readonly terminal: Terminal;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly style: Style;
  /** Shows everything from the beginning. */
  readonly verbose: boolean;
  /** Begins to ask as soon as an agent does. */
  readonly asks: boolean;
  /** Set: another process drives the run, and this is how one leaves. */
  readonly leave: (() => void) | null;
}

/** Watches a run on a terminal, and does there what its keys say. */
export function liveRun(options: LiveRunOptions): LiveRun {
  const { terminal, clock, style, program, leave } = options;
  const keys = leave === null ? KEYS : KEYS_OF_ATTACHED;
  const doings = newDoings();
  let run: RunState | null = null;
  let at: Person["at"] = { kind: "watching" };
  let told: string | null = null;
  let verbose = options.verbose;
  let over = false;

  const panel = (size: Size): readonly string[] => {
    if (run === null) return [];
    const person = terminal.hasKeys ? { at, told, keys } : null;
    return liveView({ run, doings: doings.now, program, person }, size, clock.now(), style);
  };
  const screen = openScreen(terminal, clock, panel);
  const tell = (text: string): void => {
    told = text;
    screen.refresh();
  };
  const ask = (): void => {
    const [question] = run === null ? [] : questionsOf(run);
    if (question === undefined || !options.asks || !terminal.hasKeys) return;
    if (at.kind === "watching") at = answering(question);
  };
  const tryTo = async (
    work: () => Promise<string>,
    settled: (worked: boolean) => void = () => undefined,
  ): Promise<void> => {
    try {
      const words = await work();
      settled(true);
      tell(words);
    } catch (error) {
      settled(false);
      const hint = error instanceof RaymondError ? (error.hint ?? "") : "";
      tell(`${error instanceof Error ? error.message : String(error)} ${hint}`.trimEnd());
    }
  };
  const breakOff = (): void => {
    if (leave === null) terminal.signal("SIGINT");
    else leave();
  };
  const grant = (wish: KeyWish, { id }: RunState): void => {
    switch (wish.type) {
      case "stop":
        void tryTo(async () => stoppingWords(await options.stopAfterSteps()));
        return;
      case "retry":
        void tryTo(async () => retriedWords(await options.retryNow()));
        return;
      case "answer":
        void tryTo(
          async () => {
            const answered = await options.answer(wish.question.agent, wish.text);
            return answeredWords(answered, false).replaceAll("\n", " ");
          },
          (accepted) => {
            at = afterAnswer(at, wish.question, accepted);
          },
        );
        return;
      case "open":
        told = `a conversation is opened by: ${program} open ${id}`;
        return;
      case "verbose":
        verbose = !verbose;
        told = verbose ? "from now on everything is shown" : "no longer is everything shown";
        return;
      case "break-off":
        breakOff();
        return;
      case "suspend":
        screen.hide();
        terminal.signal("SIGTSTP");
        return;
    }
  };
  const onKey = (key: Key): void => {
    if (over) return;
    told = null;
    if (run === null) {
      // There is nothing yet that another key could be about.
      if (key.ctrl && key.name === "c") breakOff();
      return;
    }
    const [next, wish] = press(at, key, run, leave !== null);
    at = next;
    if (wish !== null) grant(wish, run);
    screen.react();
  };
  terminal.listen({
    key: onKey,
    resized: () => {
      screen.refresh();
    },
    continued: () => {
      screen.restart();
    },
  });

  return {
    write: (text) => {
      screen.write(text);
    },
    show: (seen) => {
      run = seen;
      at = whereNow(at, seen);
      screen.refresh();
    },
    attended: () => options.asks && terminal.hasKeys,
    isVerbose: () => verbose,
    see: (event, seen) => {
      run = seen;
      doings.see(event);
      at = whereNow(at, seen);
      if (event.type === "agent.asked" || event.type === "agent.answered") ask();
      screen.refresh();
    },
    end: () => {
      if (over) return "";
      over = true;
      const rest = screen.end();
      terminal.release();
      return rest;
    },
  };
}
