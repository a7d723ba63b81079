import { describe, expect, it } from "vitest";
import { FRESH } from "../../src/core/machine/agent.ts";
import type { Recollection } from "../../src/core/machine/recollection.ts";
import { NO_SPEND } from "../../src/core/machine/spend.ts";
import { resumeRun } from "../../src/engine/resume.ts";
import { runLoop } from "../../src/engine/run-loop.ts";
import type { Visit } from "../../src/ports/openings.ts";
import { agent } from "../support/agents.ts";
import { backendFacts } from "../support/backend-facts.ts";
import { failure } from "../support/outcomes.ts";
import { run } from "../support/runs.ts";
import { cancelled, type Script, said, world } from "../support/worlds.ts";

const SAID: Recollection = {
  ...{ heard: true, lost: false, answer: null },
  spend: { ...NO_SPEND, conversationMicroUsd: 4_500, settled: true },
};
const CAME: Visit = { agent: "main", at: 7, opened: null, now: false, open: true };
const TALKS: Visit = { ...CAME, opened: { session: "session-1", cwd: "/repo" } };
const LEFT: Visit = { ...TALKS, open: false };

/** A world with visitors, whom a test lets come and go. */
function visited(scripts: Readonly<Record<string, Script>>) {
  let visits: readonly Visit[] = [];
  const forgotten: Visit[] = [];
  const here = world(scripts, {
    openings: {
      list: () => Promise.resolve(visits),
      forget: (visit) => {
        forgotten.push(visit);
        visits = visits.filter((each) => each !== visit);
        return Promise.resolve();
      },
    },
    backend: { ...backendFacts(), recall: () => Promise.resolve(SAID) },
  });
  const announce = (visit: Visit) => {
    visits = [visit];
    here.visit();
  };
  return { ...here, forgotten, announce };
}

const fresh = () => run({ agents: [agent({ session: FRESH, entered: FRESH })] });

describe("a visit by hand", () => {
  it("waits for the boundary of the agent's step, keeps it there, and is counted when it is over", async () => {
    const here = visited({
      "START.md": (step) => {
        here.announce(CAME);
        return said(step, "<goto>END</goto>");
      },
      "END.md": "<result/>",
    });
    const tell = here.engine.observer.notify.bind(here.engine.observer);
    const started: string[] = [];
    const observer: typeof here.engine.observer = {
      notify: (event, state, seq) => {
        tell(event, state, seq);
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

  it("that cannot wait interrupts the prompt of its agent, and no other", async () => {
    let rounds = 0;
    let go = (): void => undefined;
    const second = new Promise<void>((resolve) => {
      go = resolve;
    });
    const interrupted: string[] = [];
    const here = visited({
      "START.sh": '<fork next="A.md">B.md</fork>',
      "A.md": async (step, cancellation) => {
        rounds += 1;
        if (rounds > 1) return said(step, "<result/>");
        here.announce({ ...CAME, now: true });
        await cancelled(cancellation);
        interrupted.push("A.md");
        return failure("cancelled", { session: step.session.id, exitCode: null });
      },
      "B.md": async (step, cancellation) => {
        if (rounds < 2) await Promise.race([cancelled(cancellation), second]);
        if (cancellation.interrupt.aborted) interrupted.push("B.md");
        return said(step, "<result/>");
      },
    });
    const tell = here.engine.observer.notify.bind(here.engine.observer);
    const observer: typeof here.engine.observer = {
      notify: (event, state, seq) => {
        tell(event, state, seq);
        if (event.type !== "agent.opened") return;
        go();
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
