import { afterEach, describe, expect, it } from "vitest";
import type { Session } from "../../src/core/machine/agent.ts";
import type { Backend, Invocation } from "../../src/ports/backend.ts";
import type { StepListener, StepRecorder } from "../../src/ports/step-events.ts";
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
    skipPermissions: false,
    tools: null,
    allowedTools: null,
    disallowedTools: null,
    deniedPaths: [],
    maxBudgetMicroUsd: null,
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

/** A listener and recorder that remember, and let a test wait for what was told. */
export function witness() {
  const told: string[] = [];
  const lines: string[] = [];
  const meta: Record<string, unknown> = {};
  const waiting: { readonly of: string; readonly resolve: () => void }[] = [];
  const tell = (what: string): void => {
    told.push(what);
    for (const wait of waiting) if (what.startsWith(wait.of)) wait.resolve();
  };
  const listener: StepListener = {
    accepted: () => {
      tell("accepted");
    },
    spending: () => undefined,
    message: (text) => {
      tell(`message ${text}`);
    },
    output: (stream, text) => {
      tell(`output ${stream} ${text}`);
    },
    tool: (name, argument) => {
      tell(`tool ${name} ${argument}`);
    },
    notice: (text) => {
      tell(`notice ${text}`);
    },
    warning: (text) => {
      tell(`warning ${text}`);
    },
  };
  const recorder: StepRecorder = {
    prompt: () => undefined,
    line: (line) => {
      lines.push(line);
      tell(`line ${line}`);
    },
    stdout: () => undefined,
    stderr: () => undefined,
    meta: (facts) => {
      Object.assign(meta, facts);
    },
  };
  const until = (of: string): Promise<void> => {
    if (told.some((what) => what.startsWith(of))) return Promise.resolve();
    return new Promise((resolve) => waiting.push({ of, resolve }));
  };
  return { told, lines, meta, listener, recorder, until };
}

const ABILITIES = ["branch", "budget", "effort", "resume", "tools"];

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

    it("answers with the final message, in the session that was asked for", async () => {
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
      expect(costMicroUsd ?? conversationMicroUsd).toBeGreaterThan(0);
    });

    it("says once that the prompt was taken, and then the message, whole", async () => {
      const { backend, call } = await start("answers");
      const { told, listener, recorder } = witness();

      await backend.invoke(call(), cancellation(), listener, recorder);

      const heard = told.filter((what) => /^(accepted|message)/.test(what));
      expect(heard).toEqual(["accepted", "message I have a plan.\n<goto>NEXT</goto>"]);
    });

    it("answers calls at the same time, each in its own session", async () => {
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

    it("says how it is called, and what it can", async () => {
      const { backend } = await start("answers");

      expect(backend.name).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(Object.keys(backend.can).toSorted()).toEqual(ABILITIES);
    });

    it("goes on with its conversation, where it can", async () => {
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

    it("branches a conversation under a new id, and leaves the other as it was, where it can", async () => {
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

    it("says that a call has spent what it may, with what it has said, where it can", async () => {
      const { backend, call } = await start("capped");
      if (!backend.can.budget) return;
      const { listener, recorder } = witness();
      const capped = call({ maxBudgetMicroUsd: 1 });

      const reply = await backend.invoke(capped, cancellation(), listener, recorder);

      expect(reply).toMatchObject({ kind: "reply", capped: true, text: ANSWER });
    });

    it("tells nothing of a conversation that it never held", async () => {
      const { backend, call } = await start("answers");
      const { cwd } = call();
      const told = await backend.recall({ session: crypto.randomUUID(), cwd, since: 0 });

      expect(told === null || (!told.heard && told.answer === null)).toBe(true);
    });

    it("returns a failure as a value, with words for the user", async () => {
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

    it("does nothing for long when it was cancelled before", async () => {
      const { backend, call } = await start("hangs");
      const asked = cancellation();
      asked.interruptNow();
      const { listener, recorder } = witness();

      const reply = await backend.invoke(call(), asked, listener, recorder);

      expect(reply).toMatchObject({ kind: "failure", class: "cancelled" });
    });
  });
}
