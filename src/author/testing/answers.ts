import type { MissingReply } from "../../clients/simulation/backend.ts";
import type { ScriptedReply } from "../../clients/simulation/scenario.ts";
import { placeText } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import { type GivenItem, type ScriptedEnd, timesOf } from "./given.ts";
import type { Test } from "./test-file.ts";

/**
 * The scripted replies of a test. Each call consumes the first remaining item of its state that
 * matches the prompt. Records calls without a match.
 */
export class Answers {
  readonly #test: Pick<Test, "file" | "given">;
  readonly #used = new Map<GivenItem, number>();
  /** The last item of each agent and state. */
  readonly #last = new Map<string, GivenItem>();
  readonly #missing: string[] = [];

  constructor(test: Pick<Test, "file" | "given">) {
    this.#test = test;
  }

  /** Messages about calls without an item. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  knows(state: StateName): boolean {
    return this.#test.given.has(state);
  }

  reply(agent: AgentId, state: StateName, prompt: string): ScriptedReply | MissingReply {
    const item = this.#take(agent, state, prompt);
    if (item?.act.kind === "prompt") return item.act.reply;
    return this.#lacks(state, "reply", "replies");
  }

  /** `payload`: the pending result; empty for none. */
  end(agent: AgentId, state: StateName, payload: string): ScriptedEnd | MissingReply {
    const item = this.#take(agent, state, payload);
    if (item?.act.kind === "script") return item.act.end;
    return this.#lacks(state, "output", "outputs");
  }

  /** The answer to a question; null: none. */
  answerTo(agent: AgentId, state: StateName): string | null {
    const act = this.#last.get(JSON.stringify([agent, state]))?.act;
    if (act?.kind === "script") return act.end.answer;
    return act?.reply.kind === "reply" ? act.reply.answer : null;
  }

  #take(agent: AgentId, state: StateName, prompt: string): GivenItem | null {
    const items = this.#test.given.get(state)?.items ?? [];
    const item = items.find((one) => {
      const times = timesOf(one);
      if (times !== "always" && (this.#used.get(one) ?? 0) >= times) return false;
      return one.when === null || one.when.matches(prompt);
    });
    if (item === undefined) return null;
    this.#last.set(JSON.stringify([agent, state]), item);
    this.#used.set(item, (this.#used.get(item) ?? 0) + 1);
    return item;
  }

  #lacks(state: StateName, noun: string, nouns: string): MissingReply {
    const { file, given } = this.#test;
    const list = given.get(state);
    const missing = lacking(state, nouns, list?.items.length ?? 0);
    this.#missing.push(missing);
    const hint =
      list === undefined
        ? `Add a list of ${nouns} for ${state} below "states:" in ${file}.`
        : `Add one to the list at ${placeText(file, list)}, or let a ${noun} repeat with "times: always".`;
    return { missing, hint };
  }
}

function lacking(state: StateName, nouns: string, items: number): string {
  if (items > 0) {
    return `No ${nouns} are left for ${state}: those that the test gives are used up, or meant for something else (when).`;
  }
  return nouns === "replies"
    ? `The test gives no replies for ${state}.`
    : `The test gives no outputs for ${state}, and scripts are run only with --run-scripts.`;
}
