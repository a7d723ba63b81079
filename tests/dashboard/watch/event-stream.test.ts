import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type EventSource,
  eventStream,
  streamOpener,
} from "../../../src/dashboard/watch/event-stream.ts";

const TIMES = { heartbeatMs: 1_000, stallMs: 5_000 };

/** A source whose events the test emits. Counts its reads. */
function source() {
  const events: string[] = [];
  const listeners = new Set<() => void>();
  let reads = 0;
  const of: EventSource = {
    next: () => {
      reads += 1;
      const text = events.shift();
      return Promise.resolve(text === undefined ? null : { text, over: text === "over" });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    of,
    reads: () => reads,
    listeners: () => listeners.size,
    emit: (...texts: readonly string[]) => {
      events.push(...texts);
      for (const listener of listeners) listener();
    },
  };
}

function open(of: EventSource) {
  let isOver = false;
  const stream = eventStream(of, TIMES, () => {
    isOver = true;
  });
  const reader = stream.getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value === undefined ? null : new TextDecoder().decode(value);
  };
  return { reader, read, isOver: () => isOver };
}

/** Runs all pending callbacks without advancing the time. */
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("the event stream of a client", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("sends existing and later events in order", async () => {
    const { of, emit } = source();
    emit("one", "two");
    const { read } = open(of);

    expect([await read(), await read()]).toEqual(["one", "two"]);
    const next = read();
    await settled();
    emit("three");
    expect(await next).toBe("three");
  });

  it("sends events that arrive during a read of the source", async () => {
    const { of, emit } = source();
    let isFirst = true;
    const late: EventSource = {
      ...of,
      next: async () => {
        const events = await of.next();
        if (isFirst) emit("late");
        isFirst = false;
        return events;
      },
    };

    expect(await open(late).read()).toBe("late");
  });

  it("reads no more events before the client has received the earlier ones", async () => {
    const { of, emit, reads } = source();
    open(of);
    await settled();
    const before = reads();

    emit(...Array.from({ length: 100 }, String));
    for (let count = 0; count < 50; count += 1) emit("more");
    await settled();

    expect(reads() - before).toBeLessThanOrEqual(2);
  });

  it("sends keep-alive comments while there are no events for this client", async () => {
    const { of, emit } = source();
    emit("one");
    const { read } = open(of);
    await read();
    const next = read();

    for (let count = 0; count < 12; count += 1) {
      await vi.advanceTimersByTimeAsync(TIMES.heartbeatMs / 10);
      // Notifies the listener, but there are no events for this client.
      emit();
    }

    expect(await next).toMatch(/^: .*\n\n$/);
  });

  it("disconnects a client that reads nothing, and unsubscribes", async () => {
    const { of, emit, listeners } = source();
    emit("one", "two", "three");
    const { reader, isOver } = open(of);
    await settled();

    await vi.advanceTimersByTimeAsync(TIMES.stallMs);

    await expect(reader.closed).rejects.toThrow();
    expect([isOver(), listeners()]).toEqual([true, 0]);
  });

  it("keeps a client that reads, even without events for hours", async () => {
    const { of, emit, listeners } = source();
    emit("one");
    const { read, isOver } = open(of);
    await read();

    for (let hours = 0; hours < 10; hours += 1) {
      const next = read();
      await vi.advanceTimersByTimeAsync(TIMES.heartbeatMs);
      expect(await next).toMatch(/^: /);
    }

    expect([isOver(), listeners(), vi.getTimerCount()]).toEqual([false, 1, 1]);
  });

  it("ends after the last event of the source, and when the client disconnects", async () => {
    const first = source();
    first.emit("over");
    const one = open(first.of);
    expect([await one.read(), await one.read()]).toEqual(["over", null]);

    const second = source();
    const other = open(second.of);
    await settled();
    await other.reader.cancel();

    expect([one.isOver(), first.listeners()]).toEqual([true, 0]);
    expect([other.isOver(), second.listeners()]).toEqual([true, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is rejected above the limit until another stream ends", async () => {
    const openStream = streamOpener(TIMES);
    const opened = Array.from({ length: 64 }, () => openStream(source().of));

    expect(() => openStream(source().of)).toThrow(
      expect.objectContaining({ code: "serve/too-many" }),
    );
    await opened[7]?.body?.cancel();
    expect(openStream(source().of).status).toBe(200);
  });
});
