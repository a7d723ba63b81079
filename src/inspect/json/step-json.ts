import { encodeEvent } from "../../log/codec/event-json.ts";
import { isoOf } from "../../log/codec/json-codec.ts";
import type { LoggedEvent } from "../../log/codec/logged-event.ts";
import type { LoggedStep } from "../../log/logged-steps.ts";
import type { StepDetail, Timeline } from "../history/show.ts";
import { openCommand } from "../open-command.ts";
import { commandJson } from "./report-json.ts";
import type { LoggedJson, StepDetailJson, StepJson, TimelineJson } from "./shapes.ts";

export function timelineJson({
  run,
  steps,
  running,
  unreadable,
  commands,
}: Timeline): TimelineJson {
  return {
    workflow_id: run.id,
    steps: steps.map((each) => stepJson(each, running.has(each.started.event.process))),
    unreadable,
    commands: commands.map(commandJson),
  };
}

export function stepJson({ started, ended, after }: LoggedStep, isRunning: boolean): StepJson {
  return {
    step: started.event.process,
    running: isRunning,
    started: eventJson(started),
    ended: ended && eventJson(ended),
    after: after.map(eventJson),
  };
}

export function detailJson(detail: StepDetail): StepDetailJson {
  const { run, step, prompt, said, stdout, stderr, files, conversation } = detail;
  return {
    workflow_id: run.id,
    ...stepJson(step, detail.isRunning),
    prompt,
    said,
    did: step.activity.map(eventJson),
    tools: step.activity.filter(({ event }) => event.type === "step.tool").map(eventJson),
    stdout,
    stderr,
    files: [...files.values()],
    changes: detail.changes,
    open: conversation && openCommand(conversation, run),
  };
}

function eventJson({ event, seq, at }: LoggedEvent): LoggedJson {
  return { seq, at: isoOf(at), ...encodeEvent(event) };
}
