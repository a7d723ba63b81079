// A second interpreter of the workflow language, written from docs/protocol.md
// (and docs/authoring.md for `on_error`). It knows nothing of the first one:
// no time, no money, and one agent after the other. What the language leaves to
// time and to failures it is told.

import { abbreviation, folder, workflowOf } from "./reference-names.ts";
import { readTags, type Tag, trimmed } from "./reference-tags.ts";

/** What the language needs to know of a state file. */
export interface State {
  /** Its full name. */
  readonly name: string;
  /** The one tag that its rules leave it; null where there is a choice. */
  readonly implied: string | null;
  /** The payload that its rules give to the state of a `goto` without `input`. */
  readonly gives: string | null;
  /** The one payload that its rules let through. */
  readonly answer: string | null;
  /** Where a script goes that has failed. */
  readonly onError: string | null;
  /** The state that takes over a conversation that is too large. */
  readonly onContext: string | null;
}

/** A conversation as the steps that it holds. A branch to be made shows the same as what it copies. */
export interface Conversation {
  readonly mode: "fresh" | "resume" | "branch";
  readonly history: readonly string[];
}

/** An agent at the beginning of its n-th step, and what that step then did. */
export interface Moment {
  readonly agent: string;
  readonly n: number;
  /** Its full name, as all names of a moment are. */
  readonly state: string;
  readonly session: Conversation;
  readonly stack: readonly { readonly session: Conversation; readonly state: string }[];
  readonly cwd: string;
  readonly pending: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly forks: number;
  /** It is to wait before this step: how long, as it was said. */
  readonly delay: string | null;
  /** It is to wait for its workers before this step. */
  readonly joins: Join | null;
  /** The state that its conversation was too large for: it was led here in its place. */
  readonly wanted: string | null;
}

/** For how many workers, and where an agent goes whose time is over. */
export interface Join {
  readonly min: number | null;
  readonly late: string | null;
}

/** What the language leaves to time and to failures, by `agent#n`. */
export interface Turns {
  /** The workers that a join with `min` or `timeout` has taken, and whether its time was over. */
  readonly joined: ReadonlyMap<
    string,
    { readonly taken: readonly string[]; readonly late: boolean }
  >;
  /** The error of a worker that has failed in this step, where that is reported. */
  readonly failed: ReadonlyMap<string, object>;
  /** Steps that were not made, because their conversation was too large. */
  readonly handedOver: ReadonlySet<string>;
}

export interface Past extends Moment {
  /** The workers that the step started, in the order of its text. */
  readonly workers: readonly string[];
  /** The result by which the step ended its agent. */
  readonly result: string | null;
}

export type Advanced = { readonly said: string } | { readonly failed: string };

/**
 * All that happens in a workflow, agent by agent, given what each step says. An
 * agent that waits for what has not been told yet comes no further. `home` is the
 * name of the folder with the workflow that was started.
 */
export function interpret(
  states: readonly State[],
  { launch, home }: { readonly launch: string; readonly home: string },
  main: Pick<Moment, "state" | "pending" | "attributes">,
  tell: (moment: Moment) => Advanced,
  turns: Turns,
): ReadonlyMap<string, readonly Past[]> {
  const past = new Map<string, Past[]>();
  const born = {
    ...{ n: 0, session: FRESH, stack: [], forks: 0 },
    ...{ delay: null, joins: null, wanted: null },
  };
  const agents: Moment[] = [{ ...born, ...main, agent: "main", cwd: launch }];

  const file = (name: string): State => {
    const [found] = states.filter(
      (state) => state.name === name || state.name.replace(/\.(md|sh)$/, "") === name,
    );
    if (found === undefined) throw new Error(`the reference knows no state ${name}`);
    return found;
  };
  /** What a name means where this state stands. */
  const beside = (state: string, name: string): string => file(`${workflowOf(state)}${name}`).name;
  /** Where a path leads from this state. */
  const across = (state: string, path: string): string => {
    const place = folder(`/${workflowOf(state) || home}`, path);
    const [, workflow = "", name = "1_START"] = place.split("/");
    return file(workflow === home ? name : `${workflow}/${name}`).name;
  };

  /** Agents that wait for their workers, and what is known of the workers that no join has taken. */
  const joining = new Map<string, Moment>();
  const forked = new Map<string, Worker[]>();
  const settle = (agent: string): void => {
    const waits = joining.get(agent);
    if (waits === undefined) return;
    const workers = forked.get(agent) ?? [];
    const free = waits.joins?.min != null || waits.joins?.late != null;
    const turn = turns.joined.get(`${agent}#${String(waits.n)}`);
    const taken = free ? turn?.taken : workers.map((worker) => worker.agent);
    const isTaken = (worker: Worker) => taken?.includes(worker.agent) === true;
    if (taken === undefined || workers.some((one) => isTaken(one) && one.ok === undefined)) return;
    joining.delete(agent);
    forked.set(
      agent,
      workers.filter((worker) => !isTaken(worker)),
    );
    const told = workers.map((worker) => {
      if (isTaken(worker)) return worker;
      const { agent: id, state, attributes } = worker;
      return { agent: id, state, attributes, ok: null };
    });
    const state = turn?.late === true ? beside(waits.state, waits.joins?.late ?? "?") : waits.state;
    agents.push({ ...waits, state, pending: JSON.stringify(told) });
  };
  /** An agent has ended: its parent, where it lives, may go on. */
  const end = (agent: string, how: Pick<Worker, "ok" | "result" | "error">): void => {
    const parent = agent.replace(/_[^_]*$/, "");
    const family = forked.get(parent) ?? [];
    forked.set(
      parent,
      family.map((each) => (each.agent === agent ? { ...each, ...how } : each)),
    );
    settle(parent);
  };
  const note = (moment: Moment, rest: Pick<Past, "workers" | "result">): void => {
    past.set(moment.agent, [...(past.get(moment.agent) ?? []), { ...moment, ...rest }]);
  };
  const NOTHING = { workers: [], result: null };

  for (let now = agents.pop(); now !== undefined; now = agents.pop()) {
    const at = file(now.state);
    const entry = `${now.agent}#${String(now.n)}`;
    const error = turns.failed.get(entry);
    if (error !== undefined) {
      note(now, NOTHING);
      end(now.agent, { ok: false, error });
      continue;
    }
    if (turns.handedOver.has(entry)) {
      note(now, NOTHING);
      const state = beside(now.state, at.onContext ?? "?");
      agents.push({ ...now, n: now.n + 1, state, wanted: now.state, delay: null, joins: null });
      continue;
    }
    const told = tell(now);
    const prompt = now.state.endsWith(".md");
    const session: Conversation = prompt
      ? { mode: "resume", history: [...now.session.history, entry] }
      : now.session;
    const enter = (state: string, changes: Partial<Moment> = {}): Moment => {
      return {
        ...now,
        n: now.n + 1,
        state,
        session,
        pending: null,
        delay: null,
        joins: null,
        wanted: null,
        ...changes,
      };
    };
    const here = (name: string): string => beside(now.state, name.trim());
    const leads = ({ tag, content }: Tag): string =>
      tag.endsWith("-workflow") ? across(now.state, content.trim()) : here(content);
    const go = (said: Tag): Way => {
      const { tag, content, attributes } = said;
      const { cd, frames, return: back = "", input: pending = null, delay = null } = attributes;
      const push = () => [...now.stack, { session, state: here(back) }];
      const branch =
        session.history.length === 0 ? session : { ...session, mode: "branch" as const };
      switch (tag) {
        case "goto":
          return {
            next: enter(leads(said), { pending: pending ?? filled(at.gives, now), delay }),
          };
        case "reset":
        case "reset-workflow": {
          const cwd = cd === undefined ? now.cwd : folder(now.cwd, cd);
          const stack = frames === "keep" ? now.stack : [];
          return { next: enter(leads(said), { session: FRESH, stack, cwd, pending, delay }) };
        }
        case "call":
        case "call-workflow":
          return { next: enter(leads(said), { session: branch, stack: push(), pending }) };
        case "function":
        case "function-workflow":
          return { next: enter(leads(said), { session: FRESH, stack: push(), pending }) };
        case "join": {
          const { min = null, timeout_next: late = null } = attributes;
          const joins = { min: min === null ? null : Number(min), late };
          return { next: enter(leads(said), { joins }) };
        }
        case "result": {
          const frame = now.stack.at(-1);
          const payload = at.answer ?? trimmed(content);
          if (frame === undefined) return { next: null, result: payload };
          const stack = now.stack.slice(0, -1);
          return { next: enter(frame.state, { session: frame.session, stack, pending: payload }) };
        }
        default:
          throw new Error(`the reference knows no tag ${tag}`);
      }
    };
    const fork = (said: Tag, index: number): Moment => {
      const { tag, content, attributes } = said;
      const { cd, input: pending = null } = attributes;
      const data = Object.fromEntries(
        Object.entries(attributes).filter(
          ([name]) => !["next", "cd", "input", "on_error"].includes(name),
        ),
      );
      const state = leads(said);
      const called = tag === "fork" ? state : content.trim();
      const agent = `${now.agent}_${abbreviation(called)}${String(now.forks + index + 1)}`;
      const cwd = cd === undefined ? launch : folder(now.cwd, cd);
      return { ...born, agent, state, cwd, pending, attributes: data };
    };
    const said = "failed" in told ? [] : readTags(told.said, at.implied);
    const forks = said.filter(isFork);
    const other = said.find((tag) => !isFork(tag));
    const onward = forks.find(({ attributes }) => "next" in attributes)?.attributes["next"];
    const onwards: Way =
      "failed" in told
        ? { next: enter(here(at.onError ?? "?"), { pending: told.failed }) }
        : other !== undefined
          ? go(other)
          : { next: enter(here(onward ?? "?")) };
    const { next, result = null } = onwards;
    const workers = forks.map(fork);
    note(now, { workers: workers.map(({ agent }) => agent), result });
    forked.set(now.agent, [
      ...(forked.get(now.agent) ?? []),
      ...workers.map(({ agent, state, attributes }) => ({ agent, state, attributes })),
    ]);
    const goes = next && { ...next, forks: now.forks + forks.length };
    if (goes !== null && goes.joins !== null) joining.set(now.agent, goes);
    else if (goes !== null) agents.push(goes);
    agents.unshift(...workers.toReversed());
    settle(now.agent);
    if (result !== null) end(now.agent, { ok: true, result });
  }
  for (const waits of joining.values()) note(waits, NOTHING);
  return past;
}

function isFork({ tag }: Tag): boolean {
  return tag === "fork" || tag === "fork-workflow";
}

const FRESH: Conversation = { mode: "fresh", history: [] };

/** As a join tells of it. */
interface Worker {
  readonly agent: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly ok?: boolean;
  readonly result?: string;
  readonly error?: object;
}

/** Where an agent goes: to its next moment, or to its end with a result. */
interface Way {
  readonly next: Moment | null;
  readonly result?: string;
}

function filled(template: string | null, { agent, pending }: Moment): string | null {
  if (template === null) return null;
  const known = { agent_id: agent, ...(pending !== null && { input: pending, result: pending }) };
  const values = new Map(Object.entries(known));
  return template.replaceAll(/\{\{(\w+)\}\}/g, (hole, name: string) => values.get(name) ?? hole);
}
