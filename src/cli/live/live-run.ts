import { activityTracker } from "../../console/live/activities.ts";
import { type Interaction, liveView, type Size } from "../../console/live/live-view.ts";
import type { Style } from "../../console/style.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { questionsOf } from "../../machine/moves/question.ts";
import type { Facts } from "../../run/driving.ts";
import { answeredWords, retriedWords, stoppingWords } from "../words/outcome-words.ts";
import {
  afterAnswer,
  answering,
  KEYS,
  KEYS_OF_ATTACHED,
  type Key,
  type KeyAction,
  press,
  whereNow,
} from "./keys.ts";
import { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

export type LiveRun = ReturnType<typeof liveRun>;

export interface LiveRunOptions
  extends Pick<Facts, "program" | "answer" | "retryNow" | "stopAfterSteps"> {
  readonly terminal: Terminal;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly style: Style;
  readonly verbose: boolean;
  /** Opens the answer field as soon as an agent asks. */
  readonly asks: boolean;
  /** Detaches from a run of another process. Null for a run of this process. */
  readonly leave: (() => void) | null;
}

export function liveRun(options: LiveRunOptions) {
  const { terminal, clock, style, program, leave } = options;
  const keys = leave === null ? KEYS : KEYS_OF_ATTACHED;
  const activities = activityTracker();
  let run: RunState | null = null;
  let at: Interaction["mode"] = { kind: "watching" };
  let message: string | null = null;
  let verbose = options.verbose;
  let over = false;

  const panel = (size: Size): readonly string[] => {
    if (run === null) return [];
    const interaction = terminal.hasKeys ? { mode: at, message, keys } : null;
    const scene = { run, activities: activities.now, program, interaction };
    return liveView(scene, size, clock.now(), style);
  };
  const screen = new Screen(terminal, clock, panel);
  const report = (text: string): void => {
    message = text;
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
      report(words);
    } catch (error) {
      settled(false);
      const hint = error instanceof RaymondError ? (error.hint ?? "") : "";
      report(`${error instanceof Error ? error.message : String(error)} ${hint}`.trimEnd());
    }
  };
  const interrupt = (): void => {
    if (leave === null) terminal.signal("SIGINT");
    else leave();
  };
  const handle = (action: KeyAction, { id }: RunState): void => {
    switch (action.type) {
      case "stop":
        void tryTo(async () => stoppingWords(await options.stopAfterSteps()));
        return;
      case "retry":
        void tryTo(async () => retriedWords(await options.retryNow()));
        return;
      case "answer":
        void tryTo(
          async () => {
            const answered = await options.answer(action.question.agent, action.text);
            return answeredWords(answered, false).replaceAll("\n", " ");
          },
          (accepted) => {
            at = afterAnswer(at, action.question, accepted);
          },
        );
        return;
      case "open":
        message = `open a conversation with: ${program} open ${id}`;
        return;
      case "verbose":
        verbose = !verbose;
        message = verbose ? "verbose output is on" : "verbose output is off";
        return;
      case "break-off":
        interrupt();
        return;
      case "suspend":
        screen.hide();
        terminal.signal("SIGTSTP");
        return;
    }
  };
  const onKey = (key: Key): void => {
    if (over) return;
    message = null;
    if (run === null) {
      // Other keys need a run.
      if (key.ctrl && key.name === "c") interrupt();
      return;
    }
    const [next, action] = press(at, key, run, leave !== null);
    at = next;
    if (action !== null) handle(action, run);
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
    /** Writes whole lines above the live view. */
    write: (text: string): void => {
      screen.write(text);
    },
    /** Shows the current run, if no event describes the change. */
    show: (current: RunState): void => {
      run = current;
      at = whereNow(at, current);
      screen.refresh();
    },
    /** Shows an event, and the run as last saved. */
    see: (event: Event, current: RunState): void => {
      run = current;
      activities.notify(event);
      at = whereNow(at, current);
      if (event.type === "agent.asked" || event.type === "agent.answered") ask();
      screen.refresh();
    },
    /** Whether questions of agents are asked at this terminal. */
    attended: (): boolean => options.asks && terminal.hasKeys,
    isVerbose: (): boolean => verbose,
    /** Releases the terminal. Idempotent. Returns lines that were not written. */
    end: (): string => {
      if (over) return "";
      over = true;
      const rest = screen.end();
      terminal.release();
      return rest;
    },
  };
}
