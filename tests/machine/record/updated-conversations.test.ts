import { describe, expect, it } from "vitest";
import type { Input } from "../../../src/machine/advance.ts";
import type { StepOutcome } from "../../../src/machine/model/outcome.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import {
  conversationsOf,
  updatedConversations,
} from "../../../src/machine/record/updated-conversations.ts";
import { forgetAcceptedPrompts } from "../../../src/machine/steps/recover.ts";
import { agent } from "../../support/agents.ts";
import { output } from "../../support/outcomes.ts";
import { run } from "../../support/runs.ts";

const RUN = run({
  launchDir: "/repo",
  agents: [
    agent({
      id: "a",
      session: { mode: "resume", id: "s1" },
      stack: [
        {
          session: { mode: "resume", id: "s2" },
          returnTo: "BACK.md",
          workflow: null,
          crossed: false,
        },
      ],
    }),
    agent({ id: "b", cwd: "/other", session: { mode: "branch", source: "s1", id: "s3" } }),
  ],
});

const ended = (outcome: StepOutcome): Input => ({
  ...{ type: "ended", agent: "a", process: 1, outcome, at: 0, dice: 0 },
  decision: { kind: "cancelled" },
});

const RESUMED: Input = { type: "resumed", given: {}, recalled: {}, reported: 0 };

describe("the conversations of a run", () => {
  it("are all that its agents may come back to, each in the folder of the first that does", () => {
    expect([...conversationsOf(RUN)]).toEqual([
      ["s1", "/repo"],
      ["s2", "/repo"],
      ["s3", "/other"],
    ]);
  });

  it("have the length after a step, if it is known", () => {
    const looked = output("", { session: "s1", stretch: { session: "s1", from: 3, to: 9 } });
    const not = output("", { session: "s3", stretch: undefined });

    expect(updatedConversations({ inputs: [ended(looked), ended(not)] }, RUN)).toEqual([
      { session: "s1", length: 9, cwd: "/repo" },
      { session: "s3", length: null, cwd: "/other" },
    ]);
  });

  it("include conversations of manual sessions", () => {
    const said = { session: "s2", spend: NO_SPEND };
    const left = { type: "handed-back", agent: "a", opened: 1 } as const;

    expect(updatedConversations({ inputs: [{ ...left, said }] }, RUN)).toMatchObject([
      { session: "s2", length: null },
    ]);
    expect(updatedConversations({ inputs: [{ ...left, said: null }] }, RUN)).toEqual([]);
  });

  it("include all after a resume, because a client may have outlived raymond", () => {
    expect(updatedConversations({ inputs: [RESUMED] }, RUN)).toHaveLength(3);
  });

  it("exclude conversations that no agent continues", () => {
    const gone = ended(output("", { session: "s9" }));
    const looked = { type: "looked", at: 0, sessions: [] } as const;

    expect(updatedConversations({ inputs: [gone, looked] }, RUN)).toEqual([]);
  });
});

describe("a run that was left behind", () => {
  it("forgets accepted prompts of steps in flight", () => {
    const { startedAt } = RUN;
    const began = { type: "running", process: 1, kind: "prompt", startedAt } as const;
    const running = {
      ...began,
      accepted: true,
      conversationBytes: 9,
      spend: null,
      call: 0,
      backend: "claude",
    };
    const flying = { ...RUN, agents: [agent({ activity: running }), agent({ id: "b" })] };

    expect(forgetAcceptedPrompts(flying).agents).toEqual([
      agent({ activity: { ...running, accepted: false, conversationBytes: null } }),
      agent({ id: "b" }),
    ]);
  });
});
