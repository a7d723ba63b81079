import { describe, expect, it } from "vitest";
import { terminalQuestions } from "../../src/cli/terminal-questions.ts";
import type { Event } from "../../src/machine/model/event.ts";
import type { Facts } from "../../src/run/driving.ts";
import { answerErrors } from "../../src/run/errors.ts";
import { run } from "../support/runs.ts";
import { testShell } from "../support/test-shell.ts";

const asked = (number: number, agent = "main"): Event => ({
  ...{ type: "agent.asked", agent, state: "A.md", number, question: "Ship it?" },
  ...{ options: ["yes", "no"], until: null },
});
const answered = (number: number): Event => ({
  ...{ type: "agent.answered", agent: "main", state: "B.md", number, answer: "yes", at: 0 },
  by: { user: null, host: null, via: "command" },
});

/** A user who types these lines one after the other, and then nothing. */
function person(...lines: readonly (string | null)[]) {
  const shell = testShell("/");
  const said = [...lines];
  const answers: string[] = [];
  const questions = terminalQuestions({
    ...shell,
    ask: (_, signal) =>
      new Promise((resolve) => {
        const line = said.shift();
        if (line !== undefined) resolve(line);
        signal?.addEventListener("abort", () => {
          resolve(null);
        });
      }),
  }) as NonNullable<ReturnType<typeof terminalQuestions>>;
  const answer: Facts["answer"] = (agent, text) => {
    if (text === "maybe")
      return Promise.reject(answerErrors["run/not-an-option"](text, ["yes", "no"]));
    answers.push(`${agent}: ${text}`);
    return Promise.resolve({} as Awaited<ReturnType<Facts["answer"]>>);
  };
  const observer = questions.observer({ answer });
  const notify = async (...events: readonly Event[]) => {
    for (const [index, event] of events.entries()) observer.notify(event, run(), index + 1);
    await new Promise(setImmediate);
  };
  return { questions, notify, answers, text: () => shell.stderr() };
}

describe("questions at the terminal", () => {
  it("are not asked without a terminal", () => {
    expect(terminalQuestions(testShell("/"))).toBeNull();
  });

  it("are asked one after the other, each until its answer is accepted", async () => {
    const { notify, answers, text } = person("maybe", " ", "yes", "no");

    await notify(asked(1), asked(2, "main_a1"));

    expect(answers).toEqual(["main: yes", "main_a1: no"]);
    expect(text()).toMatch(
      /answer.*\(yes \| no\): (?:.|\n)*"maybe" is not an option(?:.|\n)*answer main_a1/,
    );
  });

  it("are withdrawn once they are answered elsewhere", async () => {
    const { notify, answers, questions } = person();
    await notify(asked(1), asked(2, "main_a1"));

    await notify(answered(1));

    expect(questions.attended()).toBe(true);
    questions.end();
    expect(answers).toEqual([]);
  });

  it("end at the end of input: the run is no longer attended", async () => {
    const { notify, questions } = person(null);

    await notify(asked(1));

    expect(questions.attended()).toBe(false);
  });

  it("stay on the last line while other lines are written", async () => {
    const { notify, questions, text } = person();
    await notify(asked(1));

    questions.write("something else\n");

    expect(text()).toContain("\r\u001B[Ksomething else\nanswer (yes | no): ");
    questions.end();
    questions.write("the end\n");
    expect(text().endsWith("\r\u001B[Kthe end\n")).toBe(true);
  });
});
