import { describe, expect, it } from "vitest";
import { batcher } from "../../../src/fleet/store/batcher.ts";
import { DamagedStateError } from "../../../src/storage/errors.ts";
import { until } from "../../support/until.ts";

/** Requests that the test answers explicitly, each with its items. */
function asked(fails: (items: readonly number[]) => Error | null = () => null) {
  const batches: (readonly number[])[] = [];
  const answers: (() => void)[] = [];
  const ask = async (items: readonly number[]) => {
    batches.push(items);
    await new Promise<void>((resolve) => answers.push(resolve));
    const failed = fails(items);
    if (failed !== null) throw failed;
    return items.map((item) => item * 10);
  };
  const answerAll = async () => {
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await new Promise(setImmediate);
    }
  };
  return { batches, ask, answerAll };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("a batcher", () => {
  it("sends a request immediately while few are in flight, and combines others", async () => {
    const { batches, ask, answerAll } = asked();
    const question = batcher(ask);

    const all = upTo(6).map(question);
    expect(batches).toEqual([[0], [1]]);
    await answerAll();

    expect(batches).toEqual([[0], [1], [2, 3, 4, 5]]);
    expect(await Promise.all(all)).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it("limits batches by number and weight", async () => {
    const light = asked();
    const many = upTo(250).map(batcher(light.ask));
    await light.answerAll();
    expect(light.batches.map(({ length }) => length)).toEqual([1, 1, 100, 100, 48]);
    await Promise.all(many);

    const heavy = asked();
    const few = upTo(6).map(batcher(heavy.ask, { weigh: (item) => (item === 3 ? 7 : 0.4) }));
    await heavy.answerAll();
    expect(heavy.batches).toEqual([[0], [1], [2], [3], [4, 5]]);
    await Promise.all(few);
  });

  it("with a pause sends one batch at a time, with all requests of the meantime", async () => {
    const { batches, ask, answerAll } = asked();
    const poll = batcher(ask, { pause: { everyMs: 0, afterFailureMs: 0 } });
    const sent = (count: number) =>
      until("the batch", () => Promise.resolve(batches.length === count ? true : undefined));

    const first = poll(0);
    await sent(1);
    const others = upTo(150).map(poll);
    await answerAll();
    expect(await first).toBe(0);
    await sent(2);
    await answerAll();

    await Promise.all(others);
    expect(batches).toEqual([[0], upTo(150)]);
  });

  it("retries the items of a failed batch alone, so that only the wrong one fails", async () => {
    const { batches, ask, answerAll } = asked((items) =>
      items.includes(3) ? new Error("bad") : null,
    );
    const all = Promise.allSettled(upTo(5).map(batcher(ask)));
    await answerAll();

    expect((await all).map(({ status }) => status)).toEqual(
      upTo(5).map((item) => (item === 3 ? "rejected" : "fulfilled")),
    );
    expect(batches).toEqual([[0], [1], [2, 3, 4], [2], [3], [4]]);
  });

  it("does not retry a failure of the database", async () => {
    const { batches, ask, answerAll } = asked(() => new DamagedStateError("x", null, "is away"));
    const all = Promise.allSettled(upTo(5).map(batcher(ask)));
    await answerAll();

    expect((await all).every(({ status }) => status === "rejected")).toBe(true);
    expect(batches).toEqual([[0], [1], [2, 3, 4]]);
  });
});
