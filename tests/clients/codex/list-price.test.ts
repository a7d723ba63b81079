import { describe, expect, it } from "vitest";
import { codexBackend } from "../../../src/clients/codex/codex.ts";
import { hasListPrice, pricedUse } from "../../../src/clients/codex/list-price.ts";
import { rolloutStore } from "../../../src/clients/codex/rollouts/rollout-store.ts";
import type { AgentParts } from "../../../src/clients/common/coding-agent.ts";
import { ConversationCopies } from "../../../src/clients/common/conversations/conversation-copies.ts";
import { incrementalCopies } from "../../../src/clients/common/conversations/incremental-copy.ts";
import { withConversationCopies } from "../../../src/clients/common/conversations/with-conversation-copies.ts";
import { noSecrets } from "../../support/no-secrets.ts";

const tokens = { input: 100_000, output: 10_000, cacheRead: 50_000, cacheWrite: 0 };

describe("the list price", () => {
  it.each([
    ["gpt-5.5", 500_000 + 25_000 + 300_000],
    ["openai/gpt-5.5-2026-04-23", 825_000],
    ["gpt-6.1-sol", 200_000 + 5_000 + 100_000],
  ])("of %s is per kind of token, micro-dollars", (model, microUsd) => {
    expect(pricedUse(model, tokens).listMicroUsd).toBeCloseTo(microUsd, 6);
  });

  it("of a long request is higher", () => {
    const long = { input: 300_000, output: 10_000, cacheRead: 0, cacheWrite: 0 };

    expect(pricedUse("gpt-5.5", long).listMicroUsd).toBeCloseTo(3_000_000 + 450_000, 6);
    expect(pricedUse("gpt-5.4-mini", long).listMicroUsd).toBeCloseTo(225_000 + 45_000, 6);
  });

  it("includes what is written to the cache", () => {
    const written = { input: 0, output: 0, cacheRead: 0, cacheWrite: 1_000 };

    expect(pricedUse("gpt-6-astra", written).listMicroUsd).toBeCloseTo(12_500, 6);
    expect(pricedUse("gpt-5.5", written).listMicroUsd).toBeCloseTo(5_000, 6);
  });

  it("is unknown for other models, also of the same family", () => {
    expect(["gpt-9", "gpt-5.5-turbo", "constructor", ""].filter(hasListPrice)).toEqual([]);
    expect(pricedUse(null, tokens)).toMatchObject({ listMicroUsd: null, onList: false });
  });
});

it("says with which models a budget can be enforced, also with copies of conversations", () => {
  const copies = new ConversationCopies({
    ...{
      files: incrementalCopies,
      secrets: noSecrets(),
      store: rolloutStore({}, "/nowhere", () => 0),
    },
    ...{ folder: "/nowhere", warn: () => undefined },
  });
  const parts = Object.create(null) as AgentParts;
  const { can, hasPrice } = withConversationCopies(codexBackend(parts), copies);

  expect(can.cost).toBe("priced");
  expect(["gpt-5.5", "gpt-9", null].map((model) => hasPrice?.(model))).toEqual([
    true,
    false,
    false,
  ]);
});
