import type { Session } from "../../src/machine/model/agent.ts";

/** What a client keeps of a conversation: it survives raymond. */
interface Kept {
  readonly history: readonly string[];
  /** What newer clients have said that it has cost, micro-dollars. */
  readonly total: number;
}

const NOTHING: Kept = { history: [], total: 0 };

/** All conversations that ever were, and all new ids that a client was ever given. */
export class Conversations {
  readonly #kept = new Map<string, Kept>();
  readonly #given = new Set<string>();
  /** The coding agent of each conversation. */
  readonly #owners = new Map<string, string>();

  /** The steps that a session begins with; undefined where there is no such conversation. */
  history(session: Session): readonly string[] | undefined {
    return this.#of(session)?.history;
  }

  /** Whether the id of a new session is given for the first time. */
  give(session: Session): boolean {
    if (session.mode === "resume") return true;
    const known = session.id === null || this.#given.has(session.id);
    if (session.id !== null) this.#given.add(session.id);
    return !known;
  }

  /** The client takes the prompt of a step. */
  take(session: Session, step: string, agent: string): void {
    this.#owners.set(session.id ?? "", agent);
    const { history, total } = this.#of(session) ?? NOTHING;
    const next = history.at(-1) === step ? history : [...history, step];
    this.#kept.set(session.id ?? "", { history: next, total });
  }

  /** The coding agent that has the conversation with which a session begins; undefined: none. */
  ownerOf(session: Session): string | undefined {
    if (session.mode === "fresh") return undefined;
    return this.#owners.get(session.mode === "resume" ? session.id : session.source);
  }

  /** Whether a conversation belongs to another coding agent. */
  isOfAnother(id: string | undefined, agent: string): boolean {
    const owner = id === undefined ? undefined : this.#owners.get(id);
    return owner !== undefined && owner !== agent;
  }

  /** Adds to what a conversation has cost, and returns its total. */
  pay(id: string, cost: number): number {
    const { history, total } = this.#kept.get(id) ?? NOTHING;
    this.#kept.set(id, { history, total: total + cost });
    return total + cost;
  }

  #of(session: Session): Kept | undefined {
    if (session.mode === "fresh") return NOTHING;
    return this.#kept.get(session.mode === "resume" ? session.id : session.source);
  }
}
