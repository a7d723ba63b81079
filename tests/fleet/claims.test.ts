import { expect, it } from "vitest";
import { Claims } from "../../src/fleet/claims.ts";

it("lets a worker be handed, of all its queues together, what is free of its slots", () => {
  const claims = new Claims(3);
  const first = claims.begin("a");
  claims.begin("b");

  expect([claims.boundOf("a"), claims.boundOf("b"), claims.boundOf("c")]).toEqual([2, 2, 1]);
  claims.begin("c");
  expect([claims.boundOf("a"), claims.boundOf("b"), claims.boundOf("c")]).toEqual([1, 1, 1]);
  first.end();
  expect([claims.boundOf("a"), claims.boundOf("b"), claims.boundOf("c")]).toEqual([1, 2, 2]);
});

it("takes no slot for what waits, and gives it one again only where one is free", () => {
  const claims = new Claims(2);
  const waiting = [claims.begin("account"), claims.begin("account")];
  for (const claim of waiting) claim.release();

  expect([claims.boundOf("account"), claims.boundOf("pool")]).toEqual([2, 2]);
  const other = claims.begin("pool");
  expect(waiting.map((claim) => claim.reserve())).toEqual([true, false]);
  expect([claims.boundOf("account"), claims.boundOf("pool")]).toEqual([2, 1]);
  other.end();
  expect(waiting.map((claim) => claim.reserve())).toEqual([true, true]);
});
