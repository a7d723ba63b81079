import path from "node:path";
import { type CliOptions, type CliResult, type Running, start } from "../support/cli.ts";
import { MODEL } from "../support/client/client-call.ts";
import type { ClientVersion } from "../support/client/clients.ts";
import { type AnswerTable, answers } from "../support/client/messages-answer.ts";
import { type MessagesApi, messagesApi } from "../support/client/messages-api.ts";
import { type Project, type RunDocument, tempProject } from "../support/project.ts";

type Options = Partial<Omit<CliOptions, "project">>;

/** A workflow that a real client runs against the stand-in. */
export interface Scene {
  readonly project: Project;
  readonly api: MessagesApi;
  /** `raymond WORKFLOW` to its end, as the run `r1`. */
  run(args?: readonly string[], options?: Options): Promise<CliResult>;
  /** The same, without waiting for the end. */
  begin(args?: readonly string[], options?: Options): Running;
  /** `raymond resume r1`, without waiting for the end. */
  resumed(args?: readonly string[], options?: Options): Running;
  /** The same to its end. */
  resume(args?: readonly string[], options?: Options): Promise<CliResult>;
  /** Any other command to its end: a run knows its client. */
  raymond(...words: readonly string[]): Promise<CliResult>;
  /** The state file. */
  document(): Promise<RunDocument>;
  /** What the run says that clients have reported, micro-dollars. */
  cost(): Promise<number>;
  /** The same, with what it has estimated beside that. */
  spend(): Promise<{ readonly all: number; readonly estimated: number }>;
}

/** The state file of a scene's run, relative to its project. */
export const STATE_FILE = path.join(".raymond", "workflows", "r1.json");

/**
 * Sets up these states, and what the model answers to their prompts. The workflow
 * is the whole project, where no file of it is named.
 */
export async function setScene(
  client: ClientVersion,
  files: Readonly<Record<string, string>>,
  table: AnswerTable,
  workflow = ".",
): Promise<Scene> {
  const project = await tempProject(files);
  const api = await messagesApi(answers(table));
  const always: CliOptions = { project, api, client };
  const begin = (args: readonly string[] = [], options: Options = {}) =>
    start([workflow, "--workflow-id", "r1", "--model", MODEL, ...args], { ...always, ...options });
  const resumed = (args: readonly string[] = [], options: Options = {}) =>
    start(["--resume", "r1", ...args], { ...always, ...options });
  const document = () => project.run("r1");
  return {
    project,
    api,
    begin,
    run: (args, options) => begin(args, options).exit,
    resumed,
    resume: (args, options) => resumed(args, options).exit,
    raymond: (...words) => start(words, { project, api }).exit,
    document,
    spend: async () => {
      const { total_cost_usd, totals } = await document();
      const estimated = Math.round(totals.estimated_usd * 1e6);
      return { all: Math.round(total_cost_usd * 1e6) + estimated, estimated };
    },
    cost: async () => Math.round((await document()).total_cost_usd * 1e6),
  };
}

/** A prompt that may end in these transitions: front matter, then the text. */
export function prompt(text: string, ...rules: readonly string[]): string {
  const list = rules.map((rule) => `  - ${rule}\n`).join("");
  return `---\nallowed_transitions:\n${list}---\n${text}\n`;
}

/** Lets tools run without asking, also where the tests are run by root. */
export const UNASKED = {
  args: ["--dangerously-skip-permissions"],
  env: { IS_SANDBOX: "1" },
} as const;
