import type { JsonObject } from "../../../language/basics/json-object.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../../common/json-fields.ts";
import { shortened } from "../../common/output/main-argument.ts";

/**
 * The background work of a call: subagents, commands and scheduled wake-ups (docs/claude.md, "Background work"). The
 * client reports the start and end of each task; from 2.1.330 on also the list after each change.
 */
export class BackgroundWork {
  /** By task id. */
  readonly #tasks = new Map<string, Task>();
  /** A wake-up is scheduled for this time, epoch ms; 0: none. */
  #wakeUpAt = 0;
  readonly #ended: string[] = [];

  /** The client delays its result for these. */
  get hasSubagents(): boolean {
    return [...this.#tasks.values()].some(({ isCommand }) => !isCommand);
  }

  /** What is pending, in words. */
  get pending(): readonly string[] {
    const tasks = [...this.#tasks.values()].map(({ what }) => what);
    if (this.#wakeUpAt === 0) return tasks;
    return [...tasks, `a wake-up at ${new Date(this.#wakeUpAt).toISOString().slice(0, 19)}Z`];
  }

  /** What the client ended after its last result. */
  get ended(): readonly string[] {
    return this.#ended;
  }

  /** Reads a `system` event. `hasResult`: the last turn is complete. */
  event(event: JsonObject, hasResult: boolean): void {
    const id = textAt(event, "task_id") ?? "";
    switch (textAt(event, "subtype") ?? "") {
      case "init":
        this.#ended.length = 0;
        break;
      case "background_tasks_changed":
        this.#tasks.clear();
        for (const task of objectsAt(event, "tasks")) this.#start(task);
        break;
      case "task_started":
        // Also reported for a command that the client waits for.
        if (valueAt(event, "is_backgrounded") !== false) this.#start(event);
        break;
      case "task_updated":
        this.#end(id, textAt(objectAt(event, "patch"), "status") ?? "", hasResult);
        break;
      case "task_notification":
        this.#end(id, textAt(event, "status") ?? "completed", hasResult);
        break;
      default:
        break;
    }
  }

  /** Reads the `tool_use_result` of a tool call: it scheduled a wake-up, or its command has ended. */
  answered(call: string, result: JsonObject): void {
    const at = numberAt(result, "scheduledFor");
    if (at !== null && Math.abs(at) < 8.64e15) this.#wakeUpAt = at;
    if (textAt(result, "backgroundTaskId") !== null || textAt(result, "taskId") !== null) return;
    for (const [id, task] of this.#tasks) {
      if (task.isCommand && task.call === call) this.#tasks.delete(id);
    }
  }

  /** The wake-up has started a turn. */
  awake(): void {
    this.#wakeUpAt = 0;
  }

  #start(task: JsonObject): void {
    const type = textAt(task, "task_type") ?? "";
    const isCommand = type === "local_bash";
    const name = shortened(textAt(task, "description") ?? "");
    const what = `${isCommand ? "the command" : "the task"} "${name}"`;
    const id = textAt(task, "task_id") ?? "";
    const call = textAt(task, "tool_use_id") ?? this.#tasks.get(id)?.call ?? null;
    this.#tasks.set(id, { what, isCommand, call });
  }

  #end(id: string, status: string, hasResult: boolean): void {
    if (!ENDS.has(status)) return;
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    const isCut = status === "killed" || status === "stopped";
    if (task !== undefined && isCut && hasResult) this.#ended.push(task.what);
  }
}

interface Task {
  readonly what: string;
  readonly isCommand: boolean;
  /** The tool call that started it. */
  readonly call: string | null;
}

const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "killed", "stopped"]);
