import { describe, expect, it } from "vitest";
import { afterAnswer, answering, type Key, press, whereNow } from "../../../src/cli/live/keys.ts";
import type { Interaction } from "../../../src/console/live/live-view.ts";
import { type Question, questionOf } from "../../../src/machine/moves/question.ts";
import { agent } from "../../support/agents.ts";
import { run } from "../../support/runs.ts";

const asker = agent({
  activity: {
    type: "waiting",
    since: null,
    until: null,
    for: {
      kind: "answer",
      number: 3,
      question: "Ship it?",
      options: null,
      late: null,
      from: "ASK.md",
      call: 0,
    },
  },
});
const asking = run({ agents: [asker] });
const quiet = run();
const question = questionOf(asker) as Question;
const field = answering(question);
const watching: Interaction["mode"] = { kind: "watching" };

function key(text: string, changes: Partial<Key> = {}): Key {
  return { text, name: text, ctrl: false, ...changes };
}

const named = (name: string) => key("", { name });
const ctrl = (name: string) => key("", { name, ctrl: true });

/** Presses keys one after the other. Returns the last mode and all actions. */
function pressAll(keys: readonly Key[], attached = false) {
  const actions: unknown[] = [];
  let at = watching;
  for (const each of keys) {
    const [next, action] = press(at, each, asking, attached);
    at = next;
    if (action !== null) actions.push(action);
  }
  return { at, actions };
}

describe("the keys of the live view", () => {
  it.each([
    ["r", "retry"],
    ["o", "open"],
    ["v", "verbose"],
  ])("%s wants: %s", (text, type) => {
    expect(press(watching, key(text), quiet, false)).toEqual([watching, { type }]);
  });

  it("s stops the run only when it is pressed twice", () => {
    expect(pressAll([key("s")])).toEqual({ at: { kind: "stopping" }, actions: [] });
    expect(pressAll([key("s"), key("x"), key("s")]).actions).toEqual([]);
    expect(pressAll([key("s"), key("s")])).toEqual({ at: watching, actions: [{ type: "stop" }] });
  });

  it("a opens the answer field until Enter, with Backspace and Ctrl-U", () => {
    const typed = [
      key("a"),
      key("n"),
      key("o"),
      ctrl("u"),
      key("日"),
      key("本"),
      named("backspace"),
    ];

    expect(pressAll([...typed, named("return")]).actions).toEqual([
      { type: "answer", question, text: "日" },
    ]);
  });

  it("Esc closes the answer field, and Enter does not send an empty answer", () => {
    expect(pressAll([key("a"), key("y"), named("escape")])).toEqual({ at: watching, actions: [] });
    expect(pressAll([key("a"), key(" "), named("return")])).toMatchObject({
      at: { kind: "answering" },
      actions: [],
    });
  });

  it("letters of an answer are not commands", () => {
    expect(pressAll([key("a"), key("s"), key("s"), key("q")]).actions).toEqual([]);
  });

  it("a does nothing without a question", () => {
    expect(press(watching, key("a"), quiet, false)).toEqual([watching, null]);
  });

  it("Ctrl-C works in every mode", () => {
    expect(pressAll([key("a"), ctrl("c")]).actions).toEqual([{ type: "break-off" }]);
    expect(pressAll([ctrl("c")], true).actions).toEqual([{ type: "break-off" }]);
  });

  it("q detaches from a run of another process only", () => {
    expect(pressAll([key("q")], true).actions).toEqual([{ type: "break-off" }]);
    expect(pressAll([key("q")]).actions).toEqual([]);
  });

  it("the field closes if the question was answered elsewhere", () => {
    expect(whereNow(field, asking)).toBe(field);
    expect(whereNow(field, quiet)).toEqual(watching);
  });

  it("the field stays open while it contains text, also after the question is closed", () => {
    const typed = { ...field, text: "y" };

    expect(whereNow(typed, quiet)).toBe(typed);
    expect(whereNow({ ...typed, sending: true }, quiet)).toEqual(watching);
  });

  it("letters are not commands until the answer is accepted", () => {
    const answer = [key("a"), key("y"), named("return"), key("s"), key("s")];
    const { at, actions } = pressAll(answer);
    expect(actions).toMatchObject([{ type: "answer", text: "y" }]);
    expect(at).toMatchObject({ kind: "answering", text: "y", sending: true });

    const rejected = afterAnswer(at, question, false);
    expect(rejected).toEqual({ ...field, text: "y" });
    expect(press(rejected, key("s"), asking, false)).toMatchObject([{ text: "ys" }, null]);
    expect(afterAnswer(at, question, true)).toEqual(watching);
  });
});
