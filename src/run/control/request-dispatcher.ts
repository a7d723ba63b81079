import { EventEmitter } from "node:events";
import type { Control } from "../../engine/engine.ts";
import { type ControlRequest, controlledBy } from "../../engine/ports/control-request.ts";
import type { LockHolder } from "../../engine/ports/store.ts";
import { consumeRequests } from "../../storage/request-files.ts";

type RequestListeners = Pick<Control, (typeof LISTENERS)[number] | "receiveLate">;

export interface RequestDispatcher {
  readonly control: RequestListeners;
  readonly dispatch: (request: ControlRequest) => void;
}

export function receivesRequests(
  control: Partial<Control> | undefined,
): control is Partial<Control> & RequestListeners {
  return control !== undefined && LISTENERS.every((name) => control[name] !== undefined);
}

const LISTENERS = [
  "onRetryNow",
  "onWake",
  "onAnswer",
  "onManualSession",
  "onStopAfterSteps",
  "onSetResult",
  "onControlled",
] as const;

/** Passes requests to the listeners of a run, except requests to interrupt or kill its steps. */
export function requestDispatcher(): RequestDispatcher {
  const requests = new EventEmitter();
  return {
    control: {
      onRetryNow: (listener) => void requests.on("retry", listener),
      onWake: (listener) => void requests.on("wake", listener),
      onAnswer: (listener) => void requests.on("answers", listener),
      onManualSession: (listener) => void requests.on("openings", listener),
      onStopAfterSteps: (listener) => void requests.on("stop", listener),
      onSetResult: (listener) => void requests.on("set", listener),
      onControlled: (listener) => void requests.on("controlled", listener),
    },
    dispatch: (request) => {
      const controlled = controlledBy(request);
      if (controlled !== null) requests.emit("controlled", controlled);
      if ("look" in request) requests.emit(request.look);
      else if ("retry" in request) requests.emit("retry");
      else if ("agent" in request) requests.emit("wake", request.agent);
      else if ("set" in request) requests.emit("set", request.set);
      else if (request.stop === "after-steps") requests.emit("stop");
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
  const { control, dispatch } = requestDispatcher();
  const consume = async (): Promise<number> => {
    const none = { requests: [], discarded: 0 };
    const { requests, discarded } = await consumeRequests(folder, holder).catch(() => none);
    for (const request of requests) dispatch(request);
    return requests.length + discarded;
  };
  onSignal(() => {
    void consume().then((consumed) => {
      if (consumed === 0) dispatch({ retry: "now" });
    });
  });
  return {
    ...control,
    receiveLate: async () => {
      await consume();
    },
    onWake: (listener) => {
      control.onWake(listener);
      // Requests that were sent to this lock before.
      void consume();
    },
  };
}
