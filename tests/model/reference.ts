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
}

export interface Past extends Moment {
  /** The worker that the step started. */
  readonly worker: string | null;
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
  const born = { n: 0, session: FRESH, stack: [], forks: 0 };
  const agents: Moment[] = [{ ...born, ...main, agent: "main", cwd: launch }];

  const file = (name: string): State => {
    const [found] = states.filter(
      (state) => state.name === name || state.name.replace(/\.(md|sh)$/, "") === name,
    );
    if (found === undefined) throw new Error(`the reference knows no state ${name}`);
    return found;
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
      return { ...now, n: now.n + 1, state, session, pending: null, ...changes };
    };
    const move = (): { next: Moment | null; worker?: Moment; result?: string } => {
      if ("failed" in told) return { next: enter(at.onError ?? "?", { pending: told.failed }) };
      const { tag, content, attributes } = read(told.said, at.implied);
      const {
        cd,
        frames,
        next = "",
        return: back = "",
        input: pending = null,
        ...data
      } = attributes;
      const push = () => [...now.stack, { session, state: file(back).name }];
      const branch =
        session.history.length === 0 ? session : { ...session, mode: "branch" as const };
      switch (tag) {
        case "goto":
          return { next: enter(content.trim(), { pending: pending ?? filled(at.gives, now) }) };
        case "reset": {
          const cwd = cd === undefined ? now.cwd : folder(now.cwd, cd);
          return {
            next: enter(content.trim(), {
              session: FRESH,
              stack: frames === "keep" ? now.stack : [],
              cwd,
              pending,
            }),
          };
        }
        case "call":
          return { next: enter(content.trim(), { session: branch, stack: push(), pending }) };
        case "function":
          return { next: enter(content.trim(), { session: FRESH, stack: push(), pending }) };
        case "fork": {
          const state = file(content.trim()).name;
          const agent = `${now.agent}_${abbreviation(state)}${String(now.forks + 1)}`;
          const cwd = cd === undefined ? launch : folder(now.cwd, cd);
          const worker = { ...born, agent, state, cwd, pending, attributes: data };
          return { next: enter(next, { forks: now.forks + 1 }), worker };
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
    const { next, worker, result = null } = move();
    const steps = past.get(now.agent) ?? [];
    past.set(now.agent, [...steps, { ...now, worker: worker?.agent ?? null, result }]);
    if (next !== null) agents.push(next);
    if (worker !== undefined) agents.unshift(worker);
  }
  return past;
}

const FRESH: Conversation = { mode: "fresh", history: [] };

const TAG =
  /<(goto|reset|call|function|fork|result)((?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?:\/>|>([^<]*|(?<=<result\s*>)[\s\S]*?)<\/\1>)/;

function read(text: string, implied: string | null) {
  const found = TAG.exec(text) ?? TAG.exec(implied ?? "");
  if (found === null) throw new Error(`the reference finds no tag in ${text}`);
  const [, tag = "", inside = "", content = ""] = found;
  const pairs = [...inside.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  const attributes: Readonly<Record<string, string>> = Object.fromEntries(
    pairs.map(([, name = "", double, single]) => [name, double ?? single ?? ""]),
  );
  return { tag, content, attributes };
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
