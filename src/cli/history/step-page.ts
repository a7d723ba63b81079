import { fileWords, formatChanges } from "../../console/format/format-changes.ts";
import { formatEvent } from "../../console/format/format-event.ts";
import { distanceOf, localMoment } from "../../console/local-time.ts";
import type { StepDetail } from "../../inspect/history/show.ts";
import { openCommand } from "../../inspect/open-command.ts";
import { asIs, type Entries, labelled, layOut } from "../status/layout.ts";
import { afterWords, stateWords, tookWords } from "./timeline.ts";

/** A step in detail: prompt, messages, tools, output, events that followed, and files. */
export function formatStep(detail: StepDetail, now: number): readonly string[] {
  const { run, step, said, stdout, stderr, files, conversation } = detail;
  const { started, ended, activity: did } = step;
  const tools = did.filter(({ event }) => event.type === "step.tool");
  return layOut(
    [
      labelled("step", `${String(started.event.process)} of ${run.id}`),
      labelled("agent", started.event.agent),
      labelled("state", stateWords(step)),
      labelled("folder", started.event.cwd),
      labelled("started", `${localMoment(started.at, now)}, ${distanceOf(started.at, now)}`),
      labelled("took", tookWords(step, detail.isRunning)),
      section("prompt", promptOf(detail)),
      section("said", said.join("\n")),
      section("tools", tools.flatMap(({ event }) => textsOf(event)).join("\n")),
      section("stdout", stdout),
      section("stderr", stderr),
      section("ended", ended === null ? "" : textsOf(ended.event).join("\n")),
      section("changes", changesOf(detail)),
      section("then", afterWords(step).join("\n")),
      section("files", [...files.values()].join("\n")),
      section("open", (conversation && openCommand(conversation, run)) ?? ""),
    ],
    null,
  );
}

/** The prompt, or why it is missing. */
function promptOf({ run, step, prompt }: StepDetail): string {
  if (step.started.event.kind === "script") return "";
  if (prompt !== null) return prompt;
  return run.settings.debug
    ? "(gone: its debug files were removed, or could not be written)"
    : "(not kept: the run has no debug files, as --no-debug says)";
}

/** The changed files with their lines, and the command that shows the diff. */
function changesOf({ run, step, changes }: StepDetail): string {
  const of = step.ended?.event.changes;
  if (of === undefined) return "";
  if (of.files === 0) return "no files";
  const shared =
    of.shared === true ? ["(with the changes of steps that ran at the same time)"] : [];
  const number = String(step.started.event.process);
  return [
    ...(changes ?? []).slice(0, MOST_FILES).map(fileWords),
    ...(changes !== null && changes.length <= MOST_FILES ? [] : [formatChanges(of)]),
    ...shared,
    `diff: raymond diff ${run.id} ${number}`,
  ].join("\n");
}

const MOST_FILES = 100;

function textsOf(event: Parameters<typeof formatEvent>[0]): readonly string[] {
  return formatEvent(event)
    .filter(({ from }) => from !== "never")
    .map(({ text }) => text);
}

function section(title: string, text: string): Entries {
  if (text.trim() === "") return null;
  const lines = text.replace(/\n+$/, "").split(/\r?\n/);
  return [asIs(0, ""), labelled(title, ""), lines.map((line) => asIs(2, line))];
}
