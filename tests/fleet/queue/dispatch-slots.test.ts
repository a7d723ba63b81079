import { expect, it } from "vitest";
import { DispatchSlots } from "../../../src/fleet/queue/dispatch-slots.ts";

it("dispatches from all queues together at most the free slots of a worker", () => {
  const claims = new DispatchSlots(3);
  const first = claims.add("a");
  claims.add("b");

  expect([claims.limitOf("a"), claims.limitOf("b"), claims.limitOf("c")]).toEqual([2, 2, 1]);
  claims.add("c");
  expect([claims.limitOf("a"), claims.limitOf("b"), claims.limitOf("c")]).toEqual([1, 1, 1]);
  first.end();
  expect([claims.limitOf("a"), claims.limitOf("b"), claims.limitOf("c")]).toEqual([1, 2, 2]);
});

it("holds no slot for a waiting run, and reserves one again only if one is free", () => {
  const claims = new DispatchSlots(2);
  const waiting = [claims.add("account"), claims.add("account")];
  for (const claim of waiting) claim.release();

  expect([claims.limitOf("account"), claims.limitOf("pool")]).toEqual([2, 2]);
  const other = claims.add("pool");
  expect(waiting.map((claim) => claim.reserve())).toEqual([true, false]);
  expect([claims.limitOf("account"), claims.limitOf("pool")]).toEqual([2, 1]);
  other.end();
  expect(waiting.map((claim) => claim.reserve())).toEqual([true, true]);
});
