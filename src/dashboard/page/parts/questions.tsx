import { useState } from "preact/hooks";
import { localMoment } from "../../../observers/local-time.ts";
import type { OverviewAgentJson, QuestionJson } from "../../api.ts";
import { shownText } from "../shown-text.ts";
import type { Doer } from "../use-doer.ts";

interface Props {
  readonly questions: readonly QuestionJson[];
  readonly agents: readonly OverviewAgentJson[];
  readonly doer: Doer;
  /** No process runs it: its last answer is to make it go on. */
  readonly stands: boolean;
  readonly now: number;
}

/** What persons are asked, with a place for each answer. */
export function Questions({ questions, agents, doer, stands, now }: Props) {
  if (questions.length === 0) return null;
  const open = questions.filter(({ answered }) => !answered);
  const resumes = stands && open.length === 1;
  return (
    <section class="panel" aria-label="Questions">
      <header>
        <h2 class="warn">
          {questions.length === 1 ? "A question" : `${String(questions.length)} questions`}
        </h2>
      </header>
      <ul class="questions">
        {questions.map((question) => {
          const asker = agents.find(({ agent }) => agent === question.agent);
          return (
            <li key={`${question.agent} ${String(question.number)}`}>
              <p class="dim">
                {shownText(question.agent)} asks in {shownText(question.state)}
                {question.until !== null &&
                  `, until ${localMoment(Date.parse(question.until), now)}`}
              </p>
              <p class="message asked scroll">{shownText(question.question)}</p>
              {question.answered ? (
                <p class="good">Answered. The run has not received the answer yet.</p>
              ) : (
                <Answer
                  question={question}
                  resumes={resumes}
                  doer={doer}
                  command={asker?.waits_for?.answer_with ?? null}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface AnswerProps {
  readonly question: QuestionJson;
  /** The run goes on with it. */
  readonly resumes: boolean;
  readonly doer: Doer;
  /** What answers in a terminal. */
  readonly command: string | null;
}

function Answer({ question, resumes, doer, command }: AnswerProps) {
  const [text, setText] = useState("");
  const { agent, number, options } = question;
  if (!doer.control) {
    return command === null ? null : (
      <p class="dim">
        Answer in a terminal: <code>{shownText(command)}</code>
      </p>
    );
  }
  const send = async (answer: string) => {
    const done = await doer.act("answer", { agent, number, text: answer });
    if (done !== null && resumes) await doer.act("resume", {});
  };
  if (options !== null) {
    return (
      <div class="choices">
        {resumes && <p class="dim">The run is stopped. Your answer resumes it.</p>}
        {options.map((option) => (
          <button
            key={option}
            type="button"
            disabled={doer.busy}
            data-answer=""
            onClick={() => {
              void send(option);
            }}
          >
            {shownText(option)}
          </button>
        ))}
      </div>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(text);
      }}
    >
      <label class="field">
        <span>Your answer to {shownText(agent)}</span>
        <textarea
          rows={2}
          value={text}
          data-answer=""
          onInput={(event) => {
            setText(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <p class="row">
        <button type="submit" class="main" disabled={doer.busy || text.trim() === ""}>
          {resumes ? "Answer and resume" : "Answer"}
        </button>
      </p>
    </form>
  );
}
