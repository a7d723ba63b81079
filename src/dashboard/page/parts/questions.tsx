import { useState } from "preact/hooks";
import { localMoment } from "../../../console/local-time.ts";
import type { OverviewAgentJson, QuestionJson } from "../../api.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { shownText } from "../rows/shown-text.ts";

interface Props {
  readonly questions: readonly QuestionJson[];
  readonly agents: readonly OverviewAgentJson[];
  readonly actions: ActionState;
  /** Whether the run is stopped: the answer to its last question resumes it. */
  readonly isStopped: boolean;
  readonly now: number;
}

/** The open questions of a run, with answer forms. */
export function Questions({ questions, agents, actions, isStopped, now }: Props) {
  if (questions.length === 0) return null;
  const open = questions.filter(({ answered }) => !answered);
  const resumes = isStopped && open.length === 1;
  return (
    <section class="panel" aria-label="Questions">
      <header>
        <h2 class="warn">
          {questions.length === 1 ? "1 question" : `${String(questions.length)} questions`}
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
                <p class="good">Answered. The run has not processed the answer yet.</p>
              ) : (
                <Answer
                  question={question}
                  resumes={resumes}
                  actions={actions}
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
  /** The answer resumes the run. */
  readonly resumes: boolean;
  readonly actions: ActionState;
  /** The command that answers in a terminal. */
  readonly command: string | null;
}

function Answer({ question, resumes, actions, command }: AnswerProps) {
  const [text, setText] = useState("");
  const { agent, number, options } = question;
  if (!actions.control) {
    return command === null ? null : (
      <p class="dim">
        Answer in a terminal: <code>{shownText(command)}</code>
      </p>
    );
  }
  const send = async (answer: string) => {
    const done = await actions.run("answer", { agent, number, text: answer });
    if (done !== null && resumes) await actions.run("resume", {});
  };
  if (options !== null) {
    return (
      <div class="choices">
        {resumes && <p class="dim">The run is stopped. Your answer resumes it.</p>}
        {options.map((option) => (
          <button
            key={option}
            type="button"
            disabled={actions.busy}
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
        <button type="submit" class="main" disabled={actions.busy || text.trim() === ""}>
          {resumes ? "Answer and resume" : "Answer"}
        </button>
      </p>
    </form>
  );
}
