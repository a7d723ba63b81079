import { afterEach, describe, expect, it } from "vitest";
import type { Backend, Invocation } from "../../src/engine/ports/backend.ts";
import type { StepListener, StepRecorder } from "../../src/engine/ports/step-events.ts";
import type { Session } from "../../src/machine/model/agent.ts";
import { knownCost } from "../../src/machine/spend/ledger.ts";
import { cancellation } from "../support/cancellation.ts";

/** What a backend has to be prepared for, so that the suite can ask something of it. */
export type Scenario =
  /** Every call is answered by {@link ANSWER}. */
  | "answers"
  /** Every call takes the prompt, and then is silent for a minute at least. */
  | "hangs"
  /** Every call fails, as a crash or otherwise. */
  | "fails"
  /** Every call says {@link ANSWER}, and has spent what it may: asked of one that can be held to a cap. */
  | "capped";

/** The reply of a backend that answers. */
export const ANSWER = "I have a plan.\n<goto>NEXT</goto>";

/** A backend under test. */
export interface BackendCase {
  readonly backend: Backend;
  /** A call that it can take. */
  readonly call: (changes?: Partial<Invocation>) => Invocation;
  close(): Promise<void>;
}

/** A call that needs nothing special, but for what the test is about. */
export function invocation(changes: Partial<Invocation> = {}): Invocation {
  return {
    prompt: "Plan it.",
    disarmed: false,
    session: { mode: "fresh", id: crypto.randomUUID() },
    cwd: process.cwd(),
    model: null,
    effort: null,
    ...{ level: "edit", allow: [], deny: [] },
    tools: null,
    allowedTools: null,
    disallowedTools: null,
    deniedPaths: [],
    sandbox: null,
    grants: [],
    fallbackModel: null,
    maxTurns: null,
    maxBudgetMicroUsd: null,
    environment: { kind: "prompt", pass: null, set: {}, secret: [] },
    env: {},
    token: `test.${crypto.randomUUID()}`,
    timeoutMs: 0,
    toolTimeoutMs: 0,
    deadline: null,
    state: "PLAN.md",
    number: 0,
    variables: {},
    ...changes,
  };
}

/** A listener and recorder that remember, and let a test wait for what was calls. */
export function witness() {
  const calls: string[] = [];
  const lines: string[] = [];
  const meta: Record<string, unknown> = {};
  const waiting: { readonly of: string; readonly resolve: () => void }[] = [];
  const report = (what: string): void => {
    calls.push(what);
    for (const wait of waiting) if (what.startsWith(wait.of)) wait.resolve();
  };
  const listener: StepListener = {
    accepted: () => {
      report("accepted");
    },
    spending: () => undefined,
    message: (text) => {
      report(`message ${text}`);
    },
    output: (stream, text) => {
      report(`output ${stream} ${text}`);
    },
    tool: (name, argument) => {
      report(`tool ${name} ${argument}`);
    },
    notice: (text) => {
      report(`notice ${text}`);
    },
    warning: (text) => {
      report(`warning ${text}`);
    },
  };
  const recorder: StepRecorder = {
    prompt: () => undefined,
    line: (line) => {
      lines.push(line);
      report(`line ${line}`);
    },
    stdout: () => undefined,
    stderr: () => undefined,
    meta: (facts) => {
      Object.assign(meta, facts);
    },
  };
  const until = (of: string): Promise<void> => {
    if (calls.some((what) => what.startsWith(of))) return Promise.resolve();
    return new Promise((resolve) => waiting.push({ of, resolve }));
  };
  return { calls, lines, meta, listener, recorder, until };
}

const ABILITIES = [
  ...[
    "branch",
    "budget",
    "container",
    "cost",
    "effort",
    "mcp",
    "permissions",
    "resume",
    "sandbox",
    "tools",
  ],
];

/** What every Backend promises. A new one is done when this suite is green for it. */
export function describeBackend(
  name: string,
  open: (scenario: Scenario) => Promise<BackendCase>,
): void {
  describe(`${name} as a Backend`, () => {
    const opened: BackendCase[] = [];
    const start = async (scenario: Scenario): Promise<BackendCase> => {
      const made = await open(scenario);
      opened.push(made);
      return made;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((made) => made.close()));
    });

    it("answers with the final message, in the requested session", async () => {
      const { backend, call } = await start("answers");
      const session = { mode: "fresh", id: crypto.randomUUID() } as const;
      const { listener, recorder } = witness();

      const reply = await backend.invoke(call({ session }), cancellation(), listener, recorder);

      expect(reply).toMatchObject({
        kind: "reply",
        text: ANSWER,
        session: session.id,
        capped: false,
      });
      const { costMicroUsd, conversationMicroUsd } = reply.spend;
      const listed = knownCost(reply.spend, {});
      expect(costMicroUsd ?? conversationMicroUsd ?? listed).toBeGreaterThan(0);
    });

    it("reports the accepted prompt once, then the complete message", async () => {
      const { backend, call } = await start("answers");
      const { calls, listener, recorder } = witness();

      await backend.invoke(call(), cancellation(), listener, recorder);

      const reported = calls.filter((what) => /^(accepted|message)/.test(what));
      expect(reported).toEqual(["accepted", "message I have a plan.\n<goto>NEXT</goto>"]);
    });

    it("answers concurrent calls, each in its own session", async () => {
      const { backend, call } = await start("answers");
      const calls = [call(), call(), call()];

      const replies = await Promise.all(
        calls.map((one) => {
          const { listener, recorder } = witness();
          return backend.invoke(one, cancellation(), listener, recorder);
        }),
      );

      const sessions = replies.map((reply) => reply.session);
      expect(sessions).toEqual(calls.map((one) => one.session.id));
    });

    it("has a name and capabilities", async () => {
      const { backend } = await start("answers");

      expect(backend.name).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(Object.keys(backend.can).toSorted()).toEqual(ABILITIES);
    });

    it("continues its conversation, if supported", async () => {
      const { backend, call } = await start("answers");
      if (!backend.can.resume) return;
      const id = crypto.randomUUID();
      const ask = (session: Session) => {
        const { listener, recorder } = witness();
        return backend.invoke(call({ session }), cancellation(), listener, recorder);
      };

      await ask({ mode: "fresh", id });

      expect(await ask({ mode: "resume", id })).toMatchObject({ text: ANSWER, session: id });
    });

    it("branches a conversation under a new id without changing the original, if supported", async () => {
      const { backend, call } = await start("answers");
      if (!backend.can.branch) return;
      const [source, id] = [crypto.randomUUID(), crypto.randomUUID()];
      const ask = (session: Session) => {
        const { listener, recorder } = witness();
        return backend.invoke(call({ session }), cancellation(), listener, recorder);
      };

      await ask({ mode: "fresh", id: source });

      expect(await ask({ mode: "branch", source, id })).toMatchObject({ session: id });
      expect(await ask({ mode: "resume", id: source })).toMatchObject({ session: source });
    });

    it("reports an exhausted call budget with the output so far, if supported", async () => {
      const { backend, call } = await start("capped");
      if (!backend.can.budget) return;
      const { listener, recorder } = witness();
      const capped = call({ maxBudgetMicroUsd: 1 });

      const reply = await backend.invoke(capped, cancellation(), listener, recorder);

      expect(reply).toMatchObject({ kind: "reply", capped: true, text: ANSWER });
    });

    it("recovers nothing from an unknown conversation", async () => {
      const { backend, call } = await start("answers");
      const { cwd } = call();
      const recovered = await backend.recover({ session: crypto.randomUUID(), cwd, since: 0 });

      expect(recovered === null || (!recovered.hasPrompt && recovered.answer === null)).toBe(true);
    });

    it("returns a failure as a value with a message", async () => {
      const { backend, call } = await start("fails");
      const { listener, recorder } = witness();

      const reply = await backend.invoke(call(), cancellation(), listener, recorder);

      expect(reply.kind).toBe("failure");
      expect(reply.kind === "failure" && reply.message).toMatch(/\.$/);
    });

    it.each(["interruptNow", "killNow"] as const)(
      "ends as cancelled soon after %s",
      async (how) => {
        const { backend, call } = await start("hangs");
        const asked = cancellation();
        const { listener, recorder, until } = witness();

        const reply = backend.invoke(call(), asked, listener, recorder);
        await until("accepted");
        asked[how]();

        expect(await reply).toMatchObject({ kind: "failure", class: "cancelled" });
      },
    );

    it("ends quickly when it was cancelled before the start", async () => {
      const { backend, call } = await start("hangs");
      const asked = cancellation();
      asked.interruptNow();
      const { listener, recorder } = witness();

      const reply = await backend.invoke(call(), asked, listener, recorder);

      expect(reply).toMatchObject({ kind: "failure", class: "cancelled" });
    });
  });
}
