// A second interpreter of the workflow language, written from docs/protocol.md
// (and docs/authoring.md for `on_error`). It knows nothing of the first one:
// no time, no money, no failures, and one agent after the other.

/** What the language needs to know of a state file. */
export interface State {
  readonly name: string;
  /** The one tag that its rules leave it; null where there is a choice. */
  readonly implied: string | null;
  /** The payload that its rules give to the state of a `goto` without `input`. */
  readonly gives: string | null;
  /** The one payload that its rules let through. */
  readonly answer: string | null;
  /** Where a script goes that has failed. */
  readonly onError: string | null;
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
  readonly joins: boolean;
}

export interface Past extends Moment {
  /** The workers that the step started, in the order of its text. */
  readonly workers: readonly string[];
  /** The result by which the step ended its agent. */
  readonly result: string | null;
}

export type Advanced = { readonly said: string } | { readonly failed: string };

/** All that happens in a workflow, agent by agent, given what each step says. */
export function interpret(
  states: readonly State[],
  launch: string,
  main: Pick<Moment, "state" | "pending" | "attributes">,
  tell: (moment: Moment) => Advanced,
): ReadonlyMap<string, readonly Past[]> {
  const past = new Map<string, Past[]>();
  const born = { n: 0, session: FRESH, stack: [], forks: 0, delay: null, joins: false };
  const agents: Moment[] = [{ ...born, ...main, agent: "main", cwd: launch }];

  const file = (name: string): State => {
    const [found] = states.filter(
      (state) => state.name === name || state.name.replace(/\.(md|sh)$/, "") === name,
    );
    if (found === undefined) throw new Error(`the reference knows no state ${name}`);
    return found;
  };

  /** Agents that wait for their workers, and what is known of the workers that no join has taken. */
  const joining = new Map<string, Moment>();
  const forked = new Map<string, Worker[]>();
  const settle = (agent: string): void => {
    const waits = joining.get(agent);
    const workers = forked.get(agent) ?? [];
    if (waits === undefined || workers.some(({ result }) => result === undefined)) return;
    joining.delete(agent);
    forked.set(agent, []);
    agents.push({ ...waits, pending: JSON.stringify(workers) });
  };

  for (let now = agents.pop(); now !== undefined; now = agents.pop()) {
    const at = file(now.state);
    const told = tell(now);
    const entry = `${now.agent}#${String(now.n)}`;
    const prompt = now.state.endsWith(".md");
    const session: Conversation = prompt
      ? { mode: "resume", history: [...now.session.history, entry] }
      : now.session;
    const enter = (name: string, changes: Partial<Moment> = {}): Moment => {
      const state = file(name).name;
      return {
        ...now,
        n: now.n + 1,
        state,
        session,
        pending: null,
        delay: null,
        joins: false,
        ...changes,
      };
    };
    const go = ({ tag, content, attributes }: Tag): Way => {
      const { cd, frames, return: back = "", input: pending = null, delay = null } = attributes;
      const push = () => [...now.stack, { session, state: file(back).name }];
      const branch =
        session.history.length === 0 ? session : { ...session, mode: "branch" as const };
      switch (tag) {
        case "goto":
          return {
            next: enter(content.trim(), { pending: pending ?? filled(at.gives, now), delay }),
          };
        case "reset": {
          const cwd = cd === undefined ? now.cwd : folder(now.cwd, cd);
          const stack = frames === "keep" ? now.stack : [];
          return { next: enter(content.trim(), { session: FRESH, stack, cwd, pending, delay }) };
        }
        case "call":
          return { next: enter(content.trim(), { session: branch, stack: push(), pending }) };
        case "function":
          return { next: enter(content.trim(), { session: FRESH, stack: push(), pending }) };
        case "join":
          return { next: enter(content.trim(), { joins: true }) };
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
    const fork = ({ content, attributes }: Tag, index: number): Moment => {
      const { cd, input: pending = null } = attributes;
      const data = Object.fromEntries(
        Object.entries(attributes).filter(([name]) => !["next", "cd", "input"].includes(name)),
      );
      const state = file(content.trim()).name;
      const agent = `${now.agent}_${abbreviation(state)}${String(now.forks + index + 1)}`;
      const cwd = cd === undefined ? launch : folder(now.cwd, cd);
      return { ...born, agent, state, cwd, pending, attributes: data };
    };
    const said = "failed" in told ? [] : read(told.said, at.implied);
    const forks = said.filter(({ tag }) => tag === "fork");
    const other = said.find(({ tag }) => tag !== "fork");
    const onward = forks.find(({ attributes }) => "next" in attributes)?.attributes["next"];
    const onwards: Way =
      "failed" in told
        ? { next: enter(at.onError ?? "?", { pending: told.failed }) }
        : other !== undefined
          ? go(other)
          : { next: enter(onward ?? "?") };
    const { next, result = null } = onwards;
    const workers = forks.map(fork);
    const steps = past.get(now.agent) ?? [];
    past.set(now.agent, [...steps, { ...now, workers: workers.map(({ agent }) => agent), result }]);
    forked.set(now.agent, [
      ...(forked.get(now.agent) ?? []),
      ...workers.map(({ agent, state, attributes }) => ({ agent, state, attributes })),
    ]);
    const goes = next && { ...next, forks: now.forks + forks.length };
    if (goes?.joins === true) joining.set(now.agent, goes);
    else if (goes !== null) agents.push(goes);
    agents.unshift(...workers.toReversed());
    settle(now.agent);
    if (result === null) continue;
    const parent = now.agent.replace(/_[^_]*$/, "");
    const family = forked.get(parent) ?? [];
    const ended = (each: Worker) =>
      each.agent === now.agent ? { ...each, ok: true as const, result } : each;
    forked.set(parent, family.map(ended));
    settle(parent);
  }
  return past;
}

const FRESH: Conversation = { mode: "fresh", history: [] };

const TAG =
  /<(goto|reset|call|function|fork|join|result)((?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?:\/>|>([^<]*|(?<=<result\s*>)[\s\S]*?)<\/\1>)/g;

/** As a join tells of it. */
interface Worker {
  readonly agent: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly ok?: true;
  readonly result?: string;
}

/** Where an agent goes: to its next moment, or to its end with a result. */
interface Way {
  readonly next: Moment | null;
  readonly result?: string;
}

interface Tag {
  readonly tag: string;
  readonly content: string;
  readonly attributes: Readonly<Record<string, string>>;
}

function read(text: string, implied: string | null): readonly Tag[] {
  const found = [...text.matchAll(TAG)];
  const all = found.length > 0 ? found : [...(implied ?? "").matchAll(TAG)];
  if (all.length === 0) throw new Error(`the reference finds no tag in ${text}`);
  return all.map(([, tag = "", inside = "", content = ""]) => {
    const pairs = [...inside.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
    const attributes: Readonly<Record<string, string>> = Object.fromEntries(
      pairs.map(([, name = "", double, single]) => [name, double ?? single ?? ""]),
    );
    return { tag, content, attributes };
  });
}

function filled(template: string | null, { agent, pending }: Moment): string | null {
  if (template === null) return null;
  const known = { agent_id: agent, ...(pending !== null && { input: pending, result: pending }) };
  const values = new Map(Object.entries(known));
  return template.replaceAll(/\{\{(\w+)\}\}/g, (hole, name: string) => values.get(name) ?? hole);
}

function trimmed(content: string): string {
  const lines = content.replaceAll(/\r\n|\r/g, "\n").split("\n");
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines.join("\n");
}

function abbreviation(state: string): string {
  const stem = state.replace(/\.\w+$/, "").toLowerCase();
  const kept = stem.slice(0, 6).replaceAll(/[^a-z0-9]/g, "");
  return /[0-9]$|^$/.test(kept) ? `${kept}x` : kept;
}

function folder(from: string, name: string): string {
  const parts = (name.startsWith("/") ? name : `${from}/${name}`).split("/");
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}
