import type { Control } from "../../engine/engine.ts";
import type { ControlRequest } from "../../engine/ports/control-request.ts";
import type { LockHolder } from "../../engine/ports/store.ts";
import { consumeRequests } from "../../storage/request-files.ts";

type RequestListeners = Pick<Control, (typeof NUDGES)[number]>;

export interface RequestDispatcher {
  readonly control: RequestListeners;
  readonly dispatch: (request: ControlRequest) => void;
}

export function receivesRequests(
  control: Partial<Control> | undefined,
): control is Partial<Control> & RequestListeners {
  return control !== undefined && NUDGES.every((name) => control[name] !== undefined);
}

const NUDGES = ["onRetryNow", "onWake", "onAnswer", "onManualSession", "onStopAfterSteps"] as const;

/** Passes requests to the listeners of a run, except requests to interrupt or kill its steps. */
export function requestDispatcher(): RequestDispatcher {
  const retryListeners = new Set<() => void>();
  const stopListeners = new Set<() => void>();
  const listeners = { answers: new Set<() => void>(), openings: new Set<() => void>() };
  const wakeListeners = new Set<Parameters<Control["onWake"]>[0]>();
  return {
    control: {
      onRetryNow: (listener) => void retryListeners.add(listener),
      onAnswer: (listener) => void listeners.answers.add(listener),
      onManualSession: (listener) => void listeners.openings.add(listener),
      onStopAfterSteps: (listener) => void stopListeners.add(listener),
      onWake: (listener) => void wakeListeners.add(listener),
    },
    dispatch: (request) => {
      if ("look" in request) for (const listener of listeners[request.look]) listener();
      else if ("retry" in request) for (const listener of retryListeners) listener();
      else if ("agent" in request) for (const listener of wakeListeners) listener(request.agent);
      else if (request.stop === "after-steps") for (const listener of stopListeners) listener();
    },
  };
}

/**
 * Consumes the requests in a folder that are addressed to the holder of the run, at the first listener and at each
 * signal. A signal without any request means to retry now.
 */
export function listenForRequests(
  folder: string,
  holder: () => Promise<LockHolder | null>,
  onSignal: (listener: () => void) => void,
): RequestListeners {
  const { control, dispatch: tell } = requestDispatcher();
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
