import type { Answers } from "../../src/engine/ports/answers.ts";
import type { Answer } from "../../src/machine/model/answer.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { type Question, questionsOf } from "../../src/machine/moves/question.ts";
import type { Reply } from "./fault-plan.ts";
import type { Schedule } from "./schedule.ts";

/** What lies in the place of an answer: it survives raymond. */
type Placed = Answer | { readonly closedAt: number };

/** Where an answer is looked for, and where people leave it. */
type Place = Pick<Question, "agent" | "number">;

/** Receives each answer in time, each late answer, and each closed question. */
interface Judge {
  refuse(question: string): void;
  /** Of each question that takes no answer any more: whether it is saved. */
  close(question: string, saved: boolean): void;
}

/** Those who are asked, and what they have answered. */
export class People {
  readonly #replies: readonly Reply[];
  readonly #placed = new Map<string, Placed>();
  /** When each question was first seen, in ticks, and how it is replied to. */
  readonly #seen = new Map<string, { readonly tick: number; readonly reply: Reply }>();

  constructor(replies: readonly Reply[]) {
    this.#replies = replies;
  }

  /** The answer to a question that came first; null where none did. */
  answerTo(place: Place): Answer | null {
    const placed = this.#placed.get(nameOf(place));
    return placed === undefined || "closedAt" in placed ? null : placed;
  }

  /** The port of a raymond: it sees what lies there when it has its turn, and closes what is over. */
  answers(
    schedule: Schedule,
    saved: () => RunState | null,
    judge: Judge,
  ): Pick<Answers, "collect"> {
    const take: Answers["collect"] = async (open, now) => {
      await schedule.turn("list the answers");
      const listed = new Set(this.#placed.keys());
      await schedule.turn("read the answers");
      return open.flatMap((question) => {
        const name = nameOf(question);
        const over = question.until !== null && question.until <= now;
        if (!listed.has(name) && !over) return [];
        if (!this.#placed.has(name)) {
          const run = saved();
          judge.close(name, run !== null && questionsOf(run).some((each) => nameOf(each) === name));
          this.#placed.set(name, { closedAt: now });
        }
        return this.answerTo(question) ?? [];
      });
    };
    return { collect: take };
  }

  /** Answers all due questions. Returns whether raymond is notified. */
  look(run: RunState | null, at: number, tick: number, judge: Judge): boolean {
    let nudges = false;
    for (const question of run === null ? [] : questionsOf(run)) {
      const { tick: since, reply } = this.#meet(question, tick);
      if (!isDue(question, reply, at, tick - since)) continue;
      this.#give(question, reply, at, judge);
      nudges ||= reply.nudges;
    }
    return nudges;
  }

  /**
   * Between two processes: persons answer their questions. If all agents wait for a person, all
   * answer, or time passes until all questions have expired. Returns the next start, epoch ms.
   */
  between(run: RunState, now: number, tick: number, judge: Judge): number {
    const stopped = run.stopReason?.class === "question";
    let later = now;
    for (const question of questionsOf(run)) {
      const { reply } = this.#meet(question, tick);
      const { until } = question;
      const waits = until !== null && (reply.when === "never" || reply.when === "late");
      const answers = waits
        ? stopped && reply.when === "late"
        : stopped || reply.when === "stopped";
      const over = until === null ? now : until + 1;
      if ((waits && stopped) || (answers && reply.rests)) later = Math.max(later, over);
      if (answers) this.#give(question, reply, waits ? Math.max(now, over) : now, judge);
    }
    return later;
  }

  #meet(question: Question, tick: number) {
    const name = nameOf(question);
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    const met = { tick, reply: this.#replies[this.#seen.size] ?? AT_ONCE };
    this.#seen.set(name, met);
    return met;
  }

  #give(question: Question, reply: Reply, at: number, judge: Judge): void {
    const name = nameOf(question);
    const texts = reply.twice ? [reply.text, `not ${reply.text}`] : [reply.text];
    for (const text of texts) {
      const placed = this.#placed.get(name);
      const inTime = question.until === null || at < question.until;
      if (placed !== undefined && "closedAt" in placed && inTime) judge.refuse(name);
      if (placed !== undefined) continue;
      const { agent, number, options } = question;
      const chosen = options?.[text.length % options.length];
      const answer = chosen ?? text;
      const by = { user: "ana", host: null, via: "command" } as const;
      this.#placed.set(name, { agent, number, answer, by, at });
    }
  }
}

/** The reply to questions beyond the random plan. */
const AT_ONCE: Reply = {
  when: "soon",
  after: 0,
  text: "yes",
  twice: false,
  nudges: false,
  rests: false,
};

/** Whether a question of a live run is answered `waited` ticks later. */
function isDue({ until }: Question, { when, after }: Reply, at: number, waited: number): boolean {
  if (when === "soon") return waited >= after;
  // A question without a timeout would block a run that does not stop for questions forever.
  if (until === null || when === "stopped") return waited >= MOST_PATIENCE;
  return when === "late" && until < at;
}

/** Ticks. */
const MOST_PATIENCE = 100;

function nameOf({ agent, number }: Place): string {
  return `${agent}-${String(number)}`;
}
