import { type Backend, type Backends, isSimulated } from "../../engine/ports/backend.ts";
import type { Observer } from "../../engine/ports/observer.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { type BackendParts, openBackend, requireAgent } from "../backends.ts";

export interface OpenedBackends {
  readonly backends: Backends;
  /** Passes events to the observers of all coding agents that have been opened. */
  readonly observer: Observer;
}

/** Opens the default agent of a run, and others when they are first needed. */
export function openBackends(usual: string, parts: BackendParts): OpenedBackends {
  const first = openBackend(usual, parts);
  const opened = new Map<string, Backend>([[usual, first.backend]]);
  const observers: Observer[] = [...first.observers];
  const of = (name: string): Backend => {
    // A simulation stands for all coding agents.
    if (isSimulated(usual)) return first.backend;
    const known = opened.get(name);
    if (known !== undefined) return known;
    requireAgent(name);
    const { backend, observers: own } = openBackend(name, parts);
    opened.set(name, backend);
    observers.push(...own);
    return backend;
  };
  return {
    backends: { default: first.backend, of },
    observer: {
      notify: (event: Event, run: RunState, seq: number) => {
        // They copy conversations that an earlier process has left.
        if (event.type === "run.resumed") {
          for (const owner of Object.values(run.owners)) of(owner);
        }
        for (const one of observers) one.notify(event, run, seq);
      },
      close: async () => {
        await Promise.all(observers.map(async (one) => one.close?.()));
      },
    },
  };
}
