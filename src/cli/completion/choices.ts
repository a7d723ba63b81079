import type { Argument, Option } from "commander";
import { ON_ASK } from "../../core/machine/run-state.ts";
import { EFFORTS } from "../../core/workflow/state-file.ts";
import { SHELLS } from "./scripts.ts";

type Choices = () => readonly string[] | Promise<readonly string[]>;

/** What may be chosen, by the name that it has in the help, in one command or in all. */
const CHOICES: ReadonlyMap<string, Choices> = new Map<string, Choices>([
  ["--effort", () => EFFORTS],
  ["--on-ask", () => ON_ASK],
  ["list --status", async () => (await import("../commands/list.ts")).STATUSES],
  ["graph --format", async () => (await import("../../runs/graph.ts")).GRAPH_FORMATS],
  ["lint --format", async () => (await import("../commands/lint.ts")).LINT_FORMATS],
  ["lint --platform", async () => (await import("../commands/lint.ts")).PLATFORMS],
  ["test --format", async () => (await import("../commands/test.ts")).TEST_FORMATS],
  ["completion shell", () => SHELLS],
  ["new what", () => ["state"]],
  ["limits set", async () => (await import("../commands/limits.ts")).LIMITS_WORDS],
  ["schedules what", async () => (await import("../commands/schedules.ts")).SCHEDULE_WORDS],
  ["fleet what", async () => (await import("../commands/fleet.ts")).FLEET_WORDS],
]);

/** The values that an option or argument takes; null where it takes any. */
export async function choicesOf(
  command: string,
  what: Option | Argument,
): Promise<readonly string[] | null> {
  if (what.argChoices !== undefined) return what.argChoices;
  const name = "long" in what ? what.long : what.name();
  const choices = CHOICES.get(`${command} ${name}`) ?? CHOICES.get(name);
  return choices === undefined ? null : await choices();
}
