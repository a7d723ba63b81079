import { describe, expect, it } from "vitest";
import { onlyBackend } from "../../src/engine/ports/backend.ts";
import type { ManualSession } from "../../src/engine/ports/manual-sessions.ts";
import { resumeRun } from "../../src/engine/resume.ts";
import { runLoop } from "../../src/engine/run-loop.ts";
import { FRESH } from "../../src/machine/model/agent.ts";
import type { RecoveredSession } from "../../src/machine/model/recovered-session.ts";
import { NO_SPEND } from "../../src/machine/model/spend.ts";
import { agent } from "../support/agents.ts";
import { backendFacts } from "../support/backend-facts.ts";
import { cancelled, modelReply, type Script, world } from "../support/engine/worlds.ts";
import { failure } from "../support/outcomes.ts";
import { run } from "../support/runs.ts";

const SAID: RecoveredSession = {
  ...{ hasPrompt: true, lost: false, answer: null },
  spend: { ...NO_SPEND, conversationMicroUsd: 4_500, settled: true },
};
const CAME: ManualSession = { agent: "main", at: 7, opened: null, now: false, open: true };
const TALKS: ManualSession = { ...CAME, opened: { session: "session-1", cwd: "/repo" } };
const LEFT: ManualSession = { ...TALKS, open: false };

/** An engine whose manual sessions the test opens and closes. */
function visited(scripts: Readonly<Record<string, Script>>) {
  let visits: readonly ManualSession[] = [];
  const forgotten: ManualSession[] = [];
  const here = world(scripts, {
    manualSessions: {
      list: () => Promise.resolve(visits),
      remove: (visit) => {
        forgotten.push(visit);
        visits = visits.filter((each) => each !== visit);
        return Promise.resolve();
      },
    },
    backends: onlyBackend({ ...backendFacts(), recover: () => Promise.resolve(SAID) }),
  });
  const announce = (visit: ManualSession) => {
    visits = [visit];
    here.openSession();
  };
  return { ...here, forgotten, announce };
}

const fresh = () => run({ agents: [agent({ session: FRESH, entered: FRESH })] });

describe("a manual session", () => {
  it("starts at the end of the agent's step, holds the agent, and is counted at its end", async () => {
    const here = visited({
      "START.md": (step) => {
        here.announce(CAME);
        return modelReply(step, "<goto>END</goto>");
      },
      "END.md": "<result/>",
    });
    const notify = here.engine.observer.notify.bind(here.engine.observer);
    const started: string[] = [];
    const observer: typeof here.engine.observer = {
      notify: (event, state, seq) => {
        notify(event, state, seq);
        if (event.type === "step.started") started.push(event.state);
        if (event.type !== "agent.opened") return;
        // Kept, and written down, before anything else of it starts.
        expect(here.saves.at(-1)?.agents[0]).toMatchObject({ opened: 7, state: "END.md" });
        expect(started).toEqual(["START.md"]);
        here.announce(LEFT);
      },
    };

    const end = await runLoop(fresh(), { ...here.engine, observer }, here.control);

    expect(end).toMatchObject({ status: "completed", totals: { costMicroUsd: 4_500 } });
    expect(here.events.map(({ type }) => type)).toContain("agent.handed-back");
    expect(here.steps.at(-1)?.session).toEqual({ mode: "resume", id: "session-1" });
  });

  it("with priority interrupts the prompt of its agent, and no other", async () => {
    let rounds = 0;
    let proceed = (): void => undefined;
    const second = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const interrupted: string[] = [];
    const here = visited({
      "START.sh": '<fork next="A.md">B.md</fork>',
      "A.md": async (step, cancellation) => {
        rounds += 1;
        if (rounds > 1) return modelReply(step, "<result/>");
        here.announce({ ...CAME, now: true });
        await cancelled(cancellation);
        interrupted.push("A.md");
        return failure("cancelled", { session: step.session.id, exitCode: null });
      },
      "B.md": async (step, cancellation) => {
        if (rounds < 2) await Promise.race([cancelled(cancellation), second]);
        if (cancellation.interrupt.aborted) interrupted.push("B.md");
        return modelReply(step, "<result/>");
      },
    });
    const notify = here.engine.observer.notify.bind(here.engine.observer);
    const observer: typeof here.engine.observer = {
      notify: (event, state, seq) => {
        notify(event, state, seq);
        if (event.type !== "agent.opened") return;
        proceed();
        here.announce(LEFT);
      },
    };
    const from = run({ agents: [agent({ state: "START.sh", session: FRESH, entered: FRESH })] });

    const end = await runLoop(from, { ...here.engine, observer }, here.control);

    expect(end.status).toBe("completed");
    expect(interrupted).toEqual(["A.md"]);
    expect(here.steps.at(-1)).toMatchObject({ agent: { id: "main", delivery: "interrupted" } });
  });

  it.each([
    ["whose visitor has left meanwhile", LEFT, 4_500],
    ["that nothing is known of any more", null, 0],
  ])("%s ends when the run is resumed", async (_, visit, costMicroUsd) => {
    const here = visited({ "START.md": "<result/>" });
    if (visit !== null) here.announce(visit);
    const kept = run({ agents: [agent({ opened: 7 })] });

    const end = await resumeRun(kept, {}, here.engine, here.control);

    expect(end).toMatchObject({ status: "completed", totals: { costMicroUsd } });
  });
});
