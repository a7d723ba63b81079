import { useState } from "preact/hooks";
import { localMoment } from "../../../console/local-time.ts";
import { counted } from "../../../language/basics/counted.ts";
import type { OverviewJson, QuestionJson } from "../../api.ts";
import { useNow } from "../hooks/browser.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { canResume } from "../model/badge.ts";
import { withValue } from "./basics.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
}

export function Questions({ overview, actions }: Props) {
  const now = useNow();
  const { questions, agents, status } = overview;
  if (questions.length === 0) return null;
  const open = questions.filter(({ answered }) => !answered);
  const resumes = canResume(status) && open.length === 1;
  return (
    <section class="panel" aria-label="Questions">
      <header>
        <h2 class="warn">{counted(questions.length, "question")}</h2>
      </header>
      <ul class="questions">
        {questions.map((question) => {
          const asker = agents.find(({ agent }) => agent === question.agent);
          return (
            <li key={`${question.agent} ${String(question.number)}`}>
              <p class="dim">
                {question.agent} asks in {question.state}
                {question.until !== null &&
                  `, until ${localMoment(Date.parse(question.until), now)}`}
              </p>
              <p class="message asked scroll">{question.question}</p>
              {question.answered ? (
                <p class="good">Answered. The run has not processed the answer yet.</p>
              ) : (
                <Answer
                  {...{ question, resumes, actions }}
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
  const { agent, number, options } = question;
  if (!actions.control) {
    return command === null ? null : (
      <p class="dim">
        Answer in a terminal: <code>{command}</code>
      </p>
    );
  }
  const send = async (text: string) => {
    const answered = await actions.run("answer", { agent, number, text });
    if (answered !== null && resumes) await actions.run("resume", {});
  };
  if (options === null) return <AnswerForm {...{ agent, resumes, actions, send }} />;
  return (
    <div class="choices">
      {resumes && <p class="dim">The run is stopped. Your answer resumes it.</p>}
      {options.map((option) => (
        <button
          key={option}
          type="button"
          disabled={actions.busy}
          data-answer=""
          onClick={() => void send(option)}
        >
          {option}
        </button>
      ))}
    </div>
  );
}

interface AnswerFormProps extends Pick<AnswerProps, "resumes" | "actions"> {
  readonly agent: string;
  readonly send: (text: string) => Promise<void>;
}

function AnswerForm({ agent, resumes, actions, send }: AnswerFormProps) {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(text);
      }}
    >
      <label class="field">
        <span>Your answer to {agent}</span>
        <textarea
          rows={2}
          value={text}
          data-answer=""
          onInput={withValue(setText)}
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
