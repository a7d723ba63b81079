import { describe, expect, it } from "vitest";
import { continuationOf } from "../../src/language/protocol/output-elements.ts";
import { TAG_TABLE } from "../../src/language/protocol/tag-table.ts";
import {
  isStart,
  isWorkflowTransition,
  TAGS,
  type Tag,
  type Transition,
} from "../../src/language/protocol/transition.ts";
import { type Agent, FRESH } from "../../src/machine/model/agent.ts";
import { applyTransition, spawnWorker } from "../../src/machine/moves/apply-transition.ts";
import { fullTransition } from "../language/protocol/declared-tags.ts";
import { agent, frame } from "../support/agents.ts";

const BEFORE = { session: { mode: "resume", id: "s2" }, cwd: "/before" } as const;
const caller = frame({ session: { mode: "resume", id: "s1" } });
const called = agent({ ...BEFORE, stack: [caller] });

/** The agent that a row of the declaration speaks of, once the transition has been applied. */
function concerned(tag: Tag, who: string): Agent | null {
  const transition = entering(fullTransition(tag));
  const way = continuationOf([transition]);
  switch (who) {
    case "":
    case "the parent, at `next`":
    case "a frame on the stack":
      return applyTransition(called, way);
    case "stack empty":
      return applyTransition(agent(BEFORE), way);
    case "the worker":
      return workerOf(transition);
    default:
      throw new Error(`Say here which agent is "${who}".`);
  }
}

/** The transition with where its path leads, as it is when it is applied. */
function entering(transition: Transition): Transition {
  const entry = { workflow: "lib", state: "A.md" };
  return isWorkflowTransition(transition) ? { ...transition, entry } : transition;
}

function workerOf(transition: Transition): Agent {
  if (!isStart(transition)) throw new Error(`<${transition.tag}> starts no worker`);
  const { attributes } = transition;
  const plain = isWorkflowTransition(transition)
    ? { tag: transition.tag, path: transition.path, entry: { workflow: "lib", state: "A.md" } }
    : { tag: transition.tag, target: transition.target };
  return spawnWorker({ ...plain, attributes }, called, "main_a1", "wf-1");
}

/** What the words of the declaration mean for the agent `called`. */
const SESSIONS: Readonly<Record<string, Agent["session"]>> = {
  "resumes the current one": BEFORE.session,
  fresh: FRESH,
  "branches the caller's, once; then its own": { mode: "branch", source: "s2", id: null },
  "resumes the frame's, at its return state": caller.session,
};
const STACKS: Readonly<Record<string, Agent["stack"]>> = {
  kept: [caller],
  "cleared; kept by `frames`": [],
  "caller pushed": [caller, frame({ session: BEFORE.session, returnTo: "A.md" })],
  "caller pushed, with its workflow": [
    caller,
    frame({ session: BEFORE.session, returnTo: "A.md", crossed: true }),
  ],
  empty: [],
  popped: [],
};
const FOLDERS: Readonly<Record<string, string | null>> = {
  kept: BEFORE.cwd,
  "`cd`, else kept": "A.md",
  "`cd`, else the launch folder": null,
};

describe("applyTransition matches the tag table", () => {
  const rows = TAGS.flatMap((tag) => TAG_TABLE[tag].effects.map((effect) => ({ tag, ...effect })));

  it.each(rows)("of <$tag> $who", ({ tag, who, session, stack, folder }) => {
    const after = concerned(tag, who);

    if (session === "the agent ends with this result") {
      expect(after).toBeNull();
      return;
    }
    expect(after?.session).toEqual(SESSIONS[session] ?? "no such word");
    expect(after?.stack).toEqual(STACKS[stack] ?? "no such word");
    expect(after?.workflow).toBe(
      isWorkflowTransition(fullTransition(tag)) && who !== "the parent, at `next`" ? "lib" : null,
    );
    expect(after?.cwd).toBe(folder in FOLDERS ? FOLDERS[folder] : "no such word");
  });
});
