import { describe, expect, it } from "vitest";
import { resumeRun } from "../../../src/engine/resume.ts";
import { startRun } from "../../../src/engine/start.ts";
import type { Step } from "../../../src/machine/decide/step.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { conversationCut } from "../../../src/machine/record/conversation-cut.ts";
import type { Recording } from "../../../src/machine/record/recording.ts";
import { recordingOf } from "../../../src/machine/record/recording.ts";
import { conversationsAt, rerunOf } from "../../../src/machine/record/rerun.ts";
import {
  enteredStates,
  pointBefore,
  pointBeforeLastEntry,
} from "../../../src/machine/record/rerun-point.ts";
import { agent, failed, waiting } from "../../support/agents.ts";
import { type Script, world } from "../../support/engine/worlds.ts";
import { output } from "../../support/outcomes.ts";
import { run, settings } from "../../support/runs.ts";

const OPTIONS = {
  ...{ id: "one", token: "t0", backend: "claude", input: null },
  workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
  ...{ scopeDir: "/repo/workflow", launchDir: "/repo", at: 0, attributes: { item: "7" } },
  settings: settings(),
} as const;

const OWN = {
  ...{ id: "two", token: "t1", at: 100_000, settings: settings(), scopeDir: "/there" },
  conversations: new Map([["s1", "copy"]]),
};

/** A prompt that says this, after which its conversation is so long. */
const said =
  (text: string, to: number | null, from = 0): Script =>
  (step: Step) => {
    const session = step.session.id ?? "";
    const stretch = to === null ? {} : { stretch: { session, from, to } };
    return { ...output(text, { session }), ...stretch };
  };

/** START moves to NEXT, which resets to LAST: LAST has its own conversation. */
const STATES = {
  "START.md": said("<goto>NEXT</goto>", 10),
  "NEXT.md": said("<reset>LAST</reset>", 25, 10),
  "LAST.md": said("<result>done</result>", 7),
};

async function recorded(states: Readonly<Record<string, Script>>): Promise<Recording> {
  const here = world(states);
  const end = await startRun(OPTIONS, here.engine, here.control);
  return whole(here.journal, end);
}

function whole(records: Parameters<typeof recordingOf>[0], end: RunState): Recording {
  const recorded = recordingOf(records, end);
  if (!recorded.ok) throw new Error(recorded.problem);
  return recorded.recording;
}

function pointIn(recording: Recording, step: number) {
  const point = pointBefore(recording, step);
  if (point === null) throw new Error(`there is no step ${String(step)}`);
  return point;
}

describe("the point before a step", () => {
  it("has the agent before the step, and is found by number or state", async () => {
    const recording = await recorded(STATES);

    expect(pointBefore(recording, 2)).toMatchObject({
      step: 2,
      agent: { state: "NEXT.md", activity: { type: "ready" } },
      run: { processes: 1, steps: 1 },
    });
    expect(pointBeforeLastEntry(recording, "NEXT.md")).toEqual(pointBefore(recording, 2));
    expect(enteredStates(recording)).toEqual(["START.md", "NEXT.md", "LAST.md"]);
    expect([pointBefore(recording, 9), pointBeforeLastEntry(recording, "OTHER.md")]).toEqual([
      null,
      null,
    ]);
  });
});

describe("how much of a conversation there was", () => {
  const sessionOf = (recording: Recording) => {
    const session = pointIn(recording, 2).agent.session.id;
    if (session === null) throw new Error("it has one by then");
    return session;
  };

  it("is the length that the next step found", async () => {
    const recording = await recorded(STATES);
    const cut = conversationCut(recording, pointIn(recording, 2), sessionOf(recording));

    expect(cut).toEqual({ kind: "at", length: 10 });
  });

  it("is the length after its last step, if no later step continued it", async () => {
    const recording = await recorded(STATES);
    const cut = conversationCut(recording, pointIn(recording, 3), sessionOf(recording));

    expect(cut).toEqual({ kind: "at", length: 25 });
  });

  it("is the length after its last step if the next one was cut off", async () => {
    const recording = await recorded({ ...STATES, "NEXT.md": said("<reset>LAST</reset>", null) });
    const cut = conversationCut(recording, pointIn(recording, 2), sessionOf(recording));

    expect(cut).toEqual({ kind: "at", length: 10 });
  });

  it("is unchanged if the length is unknown and no step continued it", async () => {
    const recording = await recorded({
      ...STATES,
      "START.md": said("<goto>NEXT</goto>", null),
      "NEXT.md": said("<reset>LAST</reset>", null),
    });

    expect(conversationCut(recording, pointIn(recording, 3), sessionOf(recording))).toEqual({
      kind: "whole",
    });
    expect(conversationCut(recording, pointIn(recording, 2), sessionOf(recording))).toEqual({
      kind: "unknown",
      step: 2,
    });
  });

  it("is unchanged after a manual session, if no step continued it", async () => {
    const recording = await recorded(STATES);
    const session = sessionOf(recording);
    const [first, ...rest] = recording.moments.flatMap(({ inputs }) => inputs).toReversed();
    const ended = rest.find(({ input }) => input.type === "ended" && input.process === 2);
    const point = pointIn(recording, 3);
    if (first === undefined || ended === undefined) throw new Error("a step has ended");
    const talked = {
      ...{ input: { type: "handed-back", agent: "main", opened: 1 } as const },
      ...{ before: { ...ended.after }, after: ended.after, events: [] },
    };
    const said = { session, spend: NO_SPEND };
    const moments = recording.moments.map((moment) => ({
      ...moment,
      inputs: moment.inputs.flatMap((each) =>
        each === ended ? [each, { ...talked, input: { ...talked.input, said } }] : [each],
      ),
    }));

    expect(conversationCut({ ...recording, moments }, point, session)).toEqual({ kind: "whole" });
  });

  it("counts a step of another raymond as well", async () => {
    const first = world(STATES);
    const limited = { ...OPTIONS, settings: settings({ maxSteps: 1 }) };
    const stopped = await startRun(limited, first.engine, first.control);
    const second = world(STATES);
    const end = await resumeRun(stopped, { maxSteps: null }, second.engine, second.control);
    const recording = whole([...first.journal, ...second.journal], end);

    expect(conversationCut(recording, pointIn(recording, 2), sessionOf(recording))).toEqual({
      kind: "at",
      length: 10,
    });
  });
});

describe("rerunOf", () => {
  const at = (agents: RunState["agents"], changes: Partial<RunState> = {}) => ({
    ...{ step: 5, at: 40_000, agent: agents[0] ?? agent() },
    run: run({ agents, ...changes }),
  });
  const S1 = { mode: "resume", id: "s1" } as const;
  const frame = { returnTo: "BACK.md", workflow: null, crossed: false } as const;

  it("uses copies of all conversations that agents may continue", () => {
    const branch = { mode: "branch", source: "s1", id: null } as const;
    const point = at(
      [agent({ session: branch, entered: S1, stack: [{ ...frame, session: S1 }] })],
      {
        baselines: { s1: 7, other: 9 },
        owners: { s1: "codex", other: "pi" },
        candidates: { "A.md": ["codex"] },
        waits: {
          codex: { class: "limit", until: 9, since: 1, tries: 1, process: 1, message: "Full." },
        },
        contexts: { s1: { tokens: 3, window: null } },
      },
    );

    const made = rerunOf(point, OWN);

    expect([...conversationsAt(point).keys()]).toEqual(["s1"]);
    const copy = { mode: "resume", id: "copy" };
    expect(made.agents[0]).toMatchObject({
      session: { mode: "branch", source: "copy", id: null },
      ...{ entered: copy, stack: [{ session: copy }] },
    });
    expect(made.baselines).toEqual({ copy: 7 });
    expect(made.owners).toEqual({ copy: "codex" });
    expect(made.waits).toEqual({});
    expect(made.candidates).toEqual({ "A.md": ["codex"] });
    expect(made.contexts).toEqual({ copy: { tokens: 3, window: null } });
  });

  it("starts steps in flight again", async () => {
    let seen: RunState | null = null;
    const here = world({
      "START.md": '<fork next="NEXT">WORK</fork>',
      "WORK.md": "<result>worked</result>",
      "NEXT.md": "<result>done</result>",
    });
    const end = await startRun(OPTIONS, here.engine, here.control);
    seen = here.saves.find(({ agents }) => agents.length === 2 && agents[1] !== undefined) ?? end;
    const flying = seen.agents.filter(({ activity }) => activity.type === "running");
    expect(flying).toHaveLength(2);

    const made = rerunOf({ step: 2, agent: agent(), at: 0, run: seen }, OWN);

    expect(made.agents).toMatchObject([
      { state: "NEXT.md", starts: 0, activity: { type: "ready" } },
      { state: "WORK.md", starts: 0, activity: { type: "ready" }, session: { id: null } },
    ]);
    expect(made.visits).toEqual({ "START.md": 1, "NEXT.md": 0, "WORK.md": 0 });
    expect(made.calls).toEqual({ "START.md": 1, "NEXT.md": 0, "WORK.md": 0 });
  });

  it("gives a gate that was in flight its first start again", () => {
    const gate = {
      transitions: [{ tag: "goto", target: "NEXT.md" }],
      implied: false,
      checks: [{ state: "GATE.sh", attempts: 1, onFail: null }],
      starts: 1,
    } as const;
    const running = {
      type: "running",
      ...{ process: 4, accepted: false, conversationBytes: null, spend: null, call: null },
      kind: "script",
      startedAt: "2026-11-21T10:30:00.000Z",
      backend: null,
    } as const;

    const made = rerunOf(at([agent({ gate, starts: 1, activity: running })]), OWN);

    expect(made.agents[0]).toMatchObject({ starts: 1, gate: { starts: 0 } });
  });

  it("ends manual sessions", () => {
    const made = rerunOf(at([agent({ opened: 7 })]), OWN);

    expect(made.agents[0]?.opened).toBeNull();
  });

  it("counts its spend from zero, and reports its origin", () => {
    const totals = { ...run().totals, attempts: 3, costMicroUsd: 70, estimatedMicroUsd: 5 };
    const made = rerunOf(at([agent({ readySince: 3 })], { totals, steps: 2, processes: 4 }), OWN);

    expect(made).toMatchObject({
      ...{ id: "two", token: "t1", scopeDir: "/there", steps: 0, seq: 0, saves: 0, processes: 4 },
      totals: { attempts: 0, costMicroUsd: 0, estimatedMicroUsd: 0 },
      origin: { run: run().id, step: 5, after: 4, costMicroUsd: 75 },
      agents: [{ readySince: 0 }],
    });
  });

  it("leaves delays and questions as much time as they had, and waits for no limit of then", () => {
    const limit = {
      class: "limit",
      ...{ until: 90_000, since: 0, tries: 1, process: 1, message: "m" },
    } as const;
    const cause = { kind: "join", min: null, late: null } as const;
    const joining = { type: "waiting", since: null, until: null, for: cause } as const;
    const made = rerunOf(
      at(
        [
          agent({ id: "a", activity: waiting(50_000, { kind: "delay" }) }),
          agent({ id: "b", activity: waiting(50_000, { kind: "limit", message: "m" }) }),
          agent({ id: "c", activity: joining }),
          agent({ id: "d", activity: failed() }),
        ],
        { waits: { claude: limit } },
      ),
      OWN,
    );

    expect(made.agents.map(({ activity }) => activity)).toMatchObject([
      { type: "waiting", since: null, until: 110_000 },
      { type: "ready" },
      { type: "waiting", since: null, until: null },
      { type: "failed" },
    ]);
    expect(made.waits).toEqual({});
  });
});
