import type { Control } from "../engine/engine.ts";
import type { ControlRequest } from "../ports/control-request.ts";
import type { LockHolder } from "../ports/store.ts";
import { consumeRequests } from "./control-requests.ts";

type Nudges = Pick<Control, (typeof NUDGES)[number]>;

/** A control of a run, and what hands it requests. */
export interface Nudging {
  readonly control: Nudges;
  readonly hear: (request: ControlRequest) => void;
}

/** Whether a control receives all kinds of requests. */
export function hasNudges(
  control: Partial<Control> | undefined,
): control is Partial<Control> & Nudges {
  return control !== undefined && NUDGES.every((name) => control[name] !== undefined);
}

const NUDGES = ["onRetryNow", "onWake", "onAnswer", "onVisit", "onStopAfterSteps"] as const;

/** Hands requests to whoever drives a run, except for those to interrupt or kill its steps. */
export function nudging(): Nudging {
  const hurried = new Set<() => void>();
  const stopped = new Set<() => void>();
  const told = { answers: new Set<() => void>(), openings: new Set<() => void>() };
  const woken = new Set<Parameters<Control["onWake"]>[0]>();
  return {
    control: {
      onRetryNow: (listener) => void hurried.add(listener),
      onAnswer: (listener) => void told.answers.add(listener),
      onVisit: (listener) => void told.openings.add(listener),
      onStopAfterSteps: (listener) => void stopped.add(listener),
      onWake: (listener) => void woken.add(listener),
    },
    hear: (request) => {
      if ("look" in request) for (const listener of told[request.look]) listener();
      else if ("retry" in request) for (const listener of hurried) listener();
      else if ("agent" in request) for (const listener of woken) listener(request.agent);
      else if (request.stop === "after-steps") for (const listener of stopped) listener();
    },
  };
}

/**
 * Consumes the requests in a folder that are addressed to the holder of the run, at the first listener and at each
 * signal. A signal without any request means to retry now.
 */
export function hearNudges(
  folder: string,
  holder: () => Promise<LockHolder | null>,
  onSignal: (listener: () => void) => void,
): Nudges {
  const { control, hear: tell } = nudging();
  const consume = async (): Promise<number> => {
    const none = { requests: [], discarded: 0 };
    const { requests, discarded } = await consumeRequests(folder, holder).catch(() => none);
    for (const request of requests) tell(request);
    return requests.length + discarded;
  };
  onSignal(() => {
    void consume().then((consumed) => {
      if (consumed === 0) tell({ retry: "now" });
    });
  });
  return {
    ...control,
    onWake: (listener) => {
      control.onWake(listener);
      // What was sent to this lock before anything listened.
      void consume();
    },
  };
}
