import type { JsonObject } from "../../../language/basics/json-object.ts";
import { objectAt, objectsAt, textAt } from "../../common/json-fields.ts";

/**
 * The subagents of a call, also those in the background, for which the client delays its result (docs/claude.md,
 * "Timeouts"). It reports the start and end of each; from 2.1.330 on also the list after each change.
 */
export class Subagents {
  /** By task id. */
  readonly #running = new Set<string>();

  get running(): boolean {
    return this.#running.size > 0;
  }

  /** Reads a `system` event. */
  event(event: JsonObject): void {
    const id = textAt(event, "task_id") ?? "";
    switch (textAt(event, "subtype") ?? "") {
      case "background_tasks_changed":
        this.#running.clear();
        for (const task of objectsAt(event, "tasks")) this.#start(task);
        break;
      case "task_started":
        this.#start(event);
        break;
      case "task_updated":
        if (ENDS.has(textAt(objectAt(event, "patch"), "status") ?? "")) this.#running.delete(id);
        break;
      case "task_notification":
        this.#running.delete(id);
        break;
      default:
        break;
    }
  }

  /** The client does not wait for commands in the background. */
  #start(task: JsonObject): void {
    if (textAt(task, "task_type") === "local_bash") return;
    this.#running.add(textAt(task, "task_id") ?? "");
  }
}

const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "killed", "stopped"]);
