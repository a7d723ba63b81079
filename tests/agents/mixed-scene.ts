import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { CHAOS_MAIN } from "../chaos/place.ts";
import { type CliResult, type Running, start } from "../support/cli.ts";
import { type ClientVersion, clientPath } from "../support/client/clients.ts";
import { type Answer, limited, says, stalls, uses } from "../support/client/messages-answer.ts";
import { messagesApi } from "../support/client/messages-api.ts";
import { type MarkedProcess, markedProcesses } from "../support/process/leaks.ts";
import { type Project, tempProject } from "../support/project.ts";
import { codexPath } from "./codex/install.ts";
import * as codexApi from "./codex/responses-api.ts";
import { bill, MODEL as CODEX_MODEL, configFor } from "./codex/scene.ts";
import { piPath } from "./pi/install.ts";
import { models, NO_RETRY, MODEL as PI_MODEL } from "./pi/scene.ts";

export const AGENTS = ["claude", "codex", "pi"] as const;
export type AgentName = (typeof AGENTS)[number];

/** The newest version of Claude Code that is tested. */
const CLAUDE_VERSION = "2.1.330" satisfies ClientVersion;

/** Models with a price. */
export const MODELS: Readonly<Record<AgentName, string>> = {
  claude: "claude-sonnet-4-5",
  codex: CODEX_MODEL,
  pi: PI_MODEL,
};

/** A request of a client to its API. */
export interface Asked {
  readonly agent: AgentName;
  readonly model: string;
  readonly prompts: readonly string[];
}

/** What a model does with one request. */
export type Does =
  | { readonly kind: "says"; readonly text: string }
  /** Runs a command, and then says the text. */
  | { readonly kind: "runs"; readonly command: string; readonly text: string }
  | { readonly kind: "hangs" }
  /** Sends the start of an answer and nothing more. */
  | { readonly kind: "stalls" }
  /** The answers of the APIs of Anthropic and OpenAI. `shell`: the client's tool for commands. */
  | {
      readonly kind: "answers";
      readonly message: (shell: string) => Answer;
      readonly response: codexApi.Answer;
    }
  /** Claude Code only: the usage limit of the subscription is reached, for an hour. */
  | { readonly kind: "limited" };

type Options = Readonly<{ env?: Readonly<Record<string, string>>; main?: string }>;

/** A workflow for Claude Code, Codex and pi, each with an API of its own. */
export interface MixedScene {
  readonly project: Project;
  /** All requests, in order. */
  readonly asked: readonly Asked[];
  /** What the APIs have charged, micro-dollars. */
  billed(): Readonly<Record<AgentName, number>>;
  /** A command with the test entry. */
  command(words: readonly string[], options?: Options): Running;
  raymond(words: readonly string[], options?: Options): Promise<CliResult>;
  /** The JSON that a command prints. */
  json<T>(...words: readonly string[]): Promise<T>;
  /** Living processes with the project's home folder. */
  processes(): Promise<readonly MarkedProcess[]>;
}

export const RUN = "r1";

/** `retries`: how often Codex and pi repeat a request whose answer broke off. */
export async function mixedScene(
  files: Readonly<Record<string, string>>,
  does: (asked: Asked) => Does,
  retries = 0,
): Promise<MixedScene> {
  const project = await tempProject(files);
  const asked: Asked[] = [];
  const ask = (agent: AgentName, request: Omit<Asked, "agent">): Does => {
    const prompts = request.prompts.map((text) => text.trimEnd());
    const one = { agent, model: request.model, prompts };
    asked.push(one);
    return does(one);
  };
  const claude = await messagesApi((turn) => message(ask("claude", turn), "Bash"));
  const pi = await messagesApi((turn) => message(ask("pi", turn), "bash"));
  const codex = await codexApi.startResponsesApi((request) => response(ask("codex", request)));
  onTestFinished(() => codex.close());
  const retry = retries === 0 ? NO_RETRY : { retry: { baseDelayMs: 1 } };
  await place(project, ".codex/config.toml", configFor(codex.url, "CODEX_API_KEY", retries));
  await place(project, ".pi/agent/models.json", JSON.stringify(models(pi.url)));
  await place(project, ".pi/agent/settings.json", JSON.stringify(retry));
  const paths = { claude: clientPath(CLAUDE_VERSION), codex: codexPath(), pi: piPath() };
  const lines = Object.entries(paths).map(
    ([agent, file]) => `${agent} = ${JSON.stringify(file)}\n`,
  );
  await project.write(".raymond/config.toml", `[raymond.client]\n${lines.join("")}`);
  const command = (words: readonly string[], { env = {}, main = CHAOS_MAIN }: Options = {}) =>
    start(words, { project, main, api: claude, env: { CODEX_API_KEY: "test", ...env } });
  return {
    project,
    asked,
    billed: () => ({ claude: claude.charged, codex: bill(codex.billed), pi: pi.charged }),
    command,
    raymond: (words, options) => command(words, options).exit,
    json: async <T>(...words: readonly string[]) => {
      const { stdout } = await command([...words, "--json"]).exit;
      return JSON.parse(stdout) as T;
    },
    processes: () => markedProcesses("HOME", project.home),
  };
}

async function place({ home }: Project, file: string, text: string): Promise<void> {
  const target = path.join(home, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

/** $0.33 an answer of Claude Code and pi, $0.56 of Codex. */
export const TOKENS = { input: 100_000, output: 2_000 } as const;

/** `shell`: the client's tool for commands. */
function message(does: Does, shell: string): Answer {
  switch (does.kind) {
    case "runs": {
      const input = { command: does.command, description: "run it" };
      return uses(shell, input, says(does.text, { usage: TOKENS }), { usage: TOKENS });
    }
    case "says":
      return says(does.text, { usage: TOKENS });
    case "hangs":
      return { kind: "hang" };
    case "stalls":
      return stalls("I begin, and", { usage: TOKENS });
    case "answers":
      return does.message(shell);
    case "limited":
      return limited(Math.ceil(Date.now() / 1_000) + 3_600);
  }
}

function response(does: Does): codexApi.Answer {
  switch (does.kind) {
    case "says":
      return codexApi.says(does.text, { ...TOKENS, cached: 0 });
    case "runs":
      return codexApi.runs(does.command, { ...TOKENS, cached: 0 });
    case "hangs":
    case "stalls":
      return does;
    case "answers":
      return does.response;
    case "limited":
      throw new Error("The API of Codex has no usage limit in these tests.");
  }
}

/** A workflow that plans with Claude Code, implements with Codex and reviews with pi. */
export const FILES = {
  "START.md": prompt("claude", "Plan it."),
  "IMPLEMENT.md": prompt("codex", "Implement it."),
  "REVIEW.md": prompt("pi", "Review it."),
};

function prompt(agent: AgentName, text: string): string {
  return `---\nagent: ${agent}\nmodel: ${MODELS[agent]}\n---\n${text}\n`;
}

/** What each agent says to its prompt in {@link FILES}. */
const ANSWERS: Readonly<Record<AgentName, string>> = {
  claude: "<reset>IMPLEMENT</reset>",
  codex: "<reset>REVIEW</reset>",
  pi: "<result>approved</result>",
};

export function answer({ agent }: Pick<Asked, "agent">): Does {
  return { kind: "says", text: ANSWERS[agent] };
}

/** The bill of one answer, micro-dollars. */
export const PRICES: Readonly<Record<AgentName, number>> = {
  claude: 330_000,
  codex: 560_000,
  pi: 330_000,
};

/** Starts the run of {@link FILES}. */
export function begin(
  scene: MixedScene,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Running {
  return scene.command([".", "--workflow-id", RUN, "--budget", "50", ...flags], { env });
}

export interface Costs {
  /** Reported and estimated, micro-dollars. */
  readonly spent: number;
  /** By coding agent. */
  readonly backends: Readonly<Record<string, { readonly attempts: number }>>;
}

export async function costs(scene: MixedScene): Promise<Costs> {
  const { total_cost_usd, totals, sums } = await scene.json<{
    readonly total_cost_usd: number;
    readonly totals: { readonly estimated_usd: number };
    readonly sums: Pick<Costs, "backends">;
  }>("cost", RUN);
  const spent = Math.round((total_cost_usd + totals.estimated_usd) * 1e6);
  return { spent, backends: sums.backends };
}

export function sum(parts: Readonly<Record<AgentName, number>>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}
