import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type EventSource,
  eventStream,
  streamOpener,
} from "../../../src/dashboard/watch/event-stream.ts";

const TIMES = { heartbeatMs: 1_000, stallMs: 5_000 };

/** A source that says what the test lets it, and how often it was asked. */
function source() {
  const said: string[] = [];
  const listeners = new Set<() => void>();
  let asked = 0;
  const of: EventSource = {
    next: () => {
      asked += 1;
      const text = said.shift();
      return Promise.resolve(text === undefined ? null : { text, over: text === "over" });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    of,
    asked: () => asked,
    listeners: () => listeners.size,
    say: (...texts: readonly string[]) => {
      said.push(...texts);
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

/** Lets all that is ready happen, and no time pass. */
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("the stream of events for one browser", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("says what there is, and what comes later, in its order", async () => {
    const { of, say } = source();
    say("one", "two");
    const { read } = open(of);

    expect([await read(), await read()]).toEqual(["one", "two"]);
    const next = read();
    await settled();
    say("three");
    expect(await next).toBe("three");
  });

  it("hears also what is new while it asks", async () => {
    const { of, say } = source();
    let isFirst = true;
    const late: EventSource = {
      ...of,
      next: async () => {
        const said = await of.next();
        if (isFirst) say("late");
        isFirst = false;
        return said;
      },
    };

    expect(await open(late).read()).toBe("late");
  });

  it("asks for nothing more before the browser has taken what there is", async () => {
    const { of, say, asked } = source();
    open(of);
    await settled();
    const before = asked();

    say(...Array.from({ length: 100 }, String));
    for (let count = 0; count < 50; count += 1) say("more");
    await settled();

    expect(asked() - before).toBeLessThanOrEqual(2);
  });

  it("says now and then that it lives, where nothing happens for long, though others look at the same", async () => {
    const { of, say } = source();
    say("one");
    const { read } = open(of);
    await read();
    const next = read();

    for (let count = 0; count < 12; count += 1) {
      await vi.advanceTimersByTimeAsync(TIMES.heartbeatMs / 10);
      // Something has changed, and nothing of it is for this browser.
      say();
    }

    expect(await next).toMatch(/^: .*\n\n$/);
  });

  it("lets a browser go that takes nothing for long, and listens no more", async () => {
    const { of, say, listeners } = source();
    say("one", "two", "three");
    const { reader, isOver } = open(of);
    await settled();

    await vi.advanceTimersByTimeAsync(TIMES.stallMs);

    await expect(reader.closed).rejects.toThrow();
    expect([isOver(), listeners()]).toEqual([true, 0]);
  });

  it("keeps one that takes all, however long nothing else happens", async () => {
    const { of, say, listeners } = source();
    say("one");
    const { read, isOver } = open(of);
    await read();

    for (let hours = 0; hours < 10; hours += 1) {
      const next = read();
      await vi.advanceTimersByTimeAsync(TIMES.heartbeatMs);
      expect(await next).toMatch(/^: /);
    }

    expect([isOver(), listeners(), vi.getTimerCount()]).toEqual([false, 1, 1]);
  });

  it("ends behind the last that a source has to say, and when the browser goes", async () => {
    const first = source();
    first.say("over");
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

  it("is one of so many: more are refused until one goes", async () => {
    const openStream = streamOpener(TIMES);
    const opened = Array.from({ length: 64 }, () => openStream(source().of));

    expect(() => openStream(source().of)).toThrow(
      expect.objectContaining({ code: "serve/too-many" }),
    );
    await opened[7]?.body?.cancel();
    expect(openStream(source().of).status).toBe(200);
  });
});
