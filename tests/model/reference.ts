// A second interpreter of the workflow language, written from docs/protocol.md
// (and docs/authoring.md for `on_error`). It knows nothing of the first one:
// no time, no money, and one agent after the other. What the language leaves to
// time and to failures is its input.

import type { Advanced, Ask, Conversation, Moment, Past, State, Turns } from "./moment.ts";
import { abbreviation, folder, workflowOf } from "./reference-names.ts";
import { readTags, type Tag, trimmed } from "./reference-tags.ts";

/**
 * All that happens in a workflow, agent by agent, given what each step says. An
 * agent that waits for an unknown event stays where it is. `home` is the
 * name of the folder with the workflow that was started.
 */
export function interpret(
  states: readonly State[],
  { launch, home }: { readonly launch: string; readonly home: string },
  main: Pick<Moment, "state" | "pending" | "attributes">,
  respond: (moment: Moment) => Advanced,
  turns: Turns,
): ReadonlyMap<string, readonly Past[]> {
  const past = new Map<string, Past[]>();
  const born = {
    ...{ n: 0, session: FRESH, stack: [], forks: 0 },
    ...{ delay: null, joins: null, asks: null, wanted: null },
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
  /** Agents that wait for an answer. */
  const asking: Moment[] = [];
  const awaitAnswer = (waits: Moment, { late, input }: Ask): void => {
    const answer = turns.answered.get(`${waits.agent}#${String(waits.n)}`);
    if (answer === undefined) asking.push(waits);
    else if (answer !== null) agents.push({ ...waits, pending: answer });
    else agents.push({ ...waits, state: beside(waits.state, late ?? "?"), pending: input });
  };
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
    const results = workers.map((worker) => {
      if (isTaken(worker)) return worker;
      const { agent: id, state, attributes } = worker;
      return { agent: id, state, attributes, ok: null };
    });
    const state = turn?.late === true ? beside(waits.state, waits.joins?.late ?? "?") : waits.state;
    agents.push({ ...waits, state, pending: JSON.stringify(results) });
  };
  /** An agent has ended: its parent, if it lives, may continue. */
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
      agents.push({
        ...now,
        n: now.n + 1,
        state,
        wanted: now.state,
        delay: null,
        joins: null,
        asks: null,
      });
      continue;
    }
    const response = respond(now);
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
        asks: null,
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
        case "ask": {
          const { next: answered = "", timeout = null, timeout_next: late = null } = attributes;
          const options = attributes["options"]?.split("|").map((one) => one.trim()) ?? null;
          const question = trimmed(content);
          const asks = { question, options, timeout, late, input: pending };
          return { next: enter(here(answered), { asks }) };
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
          ([name]) => !["next", "cd", "input", "on_error", "worktree"].includes(name),
        ),
      );
      const state = leads(said);
      const called = tag === "fork" ? state : content.trim();
      const agent = `${now.agent}_${abbreviation(called)}${String(now.forks + index + 1)}`;
      const cwd = cd === undefined ? launch : folder(now.cwd, cd);
      return { ...born, agent, state, cwd, pending, attributes: data };
    };
    const said = "failed" in response ? [] : readTags(response.said, at.implied);
    const forks = said.filter(isFork);
    const other = said.find((tag) => !isFork(tag));
    const onward = forks.find(({ attributes }) => "next" in attributes)?.attributes["next"];
    const onwards: Way =
      "failed" in response
        ? { next: enter(here(at.onError ?? "?"), { pending: response.failed }) }
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
    else if (goes?.asks) awaitAnswer(goes, goes.asks);
    else if (goes !== null) agents.push(goes);
    agents.unshift(...workers.toReversed());
    settle(now.agent);
    if (result !== null) end(now.agent, { ok: true, result });
  }
  for (const waits of [...joining.values(), ...asking]) note(waits, NOTHING);
  return past;
}

function isFork({ tag }: Tag): boolean {
  return tag === "fork" || tag === "fork-workflow";
}

const FRESH: Conversation = { mode: "fresh", history: [] };

/** Its entry in the payload of a join. */
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
