import { expect, it } from "vitest";
import { batchedPoll } from "../../../src/fleet/store/batched-poll.ts";
import { until } from "../../support/until.ts";

it("queries all keys that are polled at the same time with one statement", async () => {
  const statements: (readonly string[])[] = [];
  let answer = (): void => undefined;
  const poll = batchedPoll(
    async (keys: readonly string[]) => {
      statements.push(keys);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return new Map(keys.map((key) => [key, `${key} is well`]));
    },
    String,
    { everyMs: 0, restMs: 0 },
  );
  const sent = (count: number) =>
    until("the statement", () => Promise.resolve(statements.length === count ? true : undefined));

  const first = poll("a");
  await sent(1);
  const others = ["b", "c", "b", "d"].map((key) => poll(key));
  answer();
  expect(await first).toBe("a is well");
  await sent(2);
  answer();

  expect(await Promise.all(others)).toEqual(["b", "c", "b", "d"].map((key) => `${key} is well`));
  expect(statements).toEqual([["a"], ["b", "c", "d"]]);
});
