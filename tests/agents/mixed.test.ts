import { describe, expect, it } from "vitest";
import { CRASH_AT } from "../chaos/crash/crash-point.ts";
import type { Running } from "../support/cli.ts";
import { endMarked } from "../support/process/leaks.ts";
import { codexPath } from "./codex/install.ts";
import {
  AGENTS,
  type AgentName,
  type Asked,
  type Does,
  type MixedScene,
  MODELS,
  mixedScene,
  RUN,
} from "./mixed-scene.ts";

const FILES = {
  "START.md": prompt("claude", "Plan it."),
  "IMPLEMENT.md": prompt("codex", "Implement it."),
  "REVIEW.md": prompt("pi", "Review it."),
};

/** What each agent says to its prompt. */
const ANSWERS: Readonly<Record<AgentName, string>> = {
  claude: "<reset>IMPLEMENT</reset>",
  codex: "<reset>REVIEW</reset>",
  pi: "<result>approved</result>",
};

/** The bill of one answer, micro-dollars. */
const PRICES: Readonly<Record<AgentName, number>> = {
  claude: 330_000,
  codex: 560_000,
  pi: 330_000,
};

/** The input of an answer that was cut off, micro-dollars: the API has reported it, and does not charge it here. */
const CUT_OFF = 300_000;

/** Where raymond is killed: the first command, and each resume. Null: at the request, by the test. */
interface Moment {
  readonly at: readonly [first: string, resume: string] | null;
  /** What a model does until raymond is killed. */
  readonly does?: "hangs" | "stalls";
  /** Requests of each client. */
  readonly requests: 1 | 2;
  /** The most that the ledger exceeds the bill. */
  readonly justified?: number;
}

describe("a list of coding agents", () => {
  it("lets Codex run a step while Claude Code waits for its usage limit", async () => {
    const files = {
      "START.md": "---\nagent: [claude, codex]\n---\nPlan it.\n",
      "REVIEW.md": "---\nagent: [claude, codex]\n---\nReview it.\n",
    };
    const scene = await mixedScene(files, ({ agent, prompts }) => {
      if (agent === "claude") return { kind: "limited" };
      const isPlan = prompts.some((text) => text.startsWith("Plan it."));
      return { kind: "says", text: isPlan ? "<reset>REVIEW</reset>" : "<result>approved</result>" };
    });

    const end = await scene.raymond([".", "--workflow-id", RUN, "--allow-unpriced"], {
      // Usage limits are those of a subscription.
      env: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "test" },
    });

    expect(end).toMatchObject({ exitCode: 0, stdout: "approved\n" });
    // The limit is known at the second step, so Claude Code is not asked again.
    expect(scene.asked.map(({ agent }) => agent)).toEqual(["claude", "codex", "codex"]);
    expect(end.stderr).toContain("REVIEW.md, with codex instead of claude");
    const { stdout } = await scene.raymond(["status", RUN]);
    expect(stdout).toMatch(/^on +claude, codex$/m);
  });
});

describe("a run that plans with Claude Code, implements with Codex and reviews with pi", () => {
  it("sends each prompt to its agent, and costs what the APIs have charged", async () => {
    const scene = await mixedScene(FILES, answer);

    const end = await begin(scene).exit;

    expect(end).toMatchObject({ exitCode: 0, stdout: "approved\n" });
    expect(scene.asked).toEqual([
      { agent: "claude", model: MODELS.claude, prompts: ["Plan it."] },
      { agent: "codex", model: MODELS.codex, prompts: ["Implement it."] },
      { agent: "pi", model: "model-1", prompts: ["Review it."] },
    ]);
    expect(scene.billed()).toEqual(PRICES);
    expect(await spent(scene)).toBe(sum(PRICES));
    const { sums } = await scene.json<{ sums: { backends: object } }>("cost", RUN);
    // Codex does not report a cost, so its cost is an estimate.
    expect(sums.backends).toMatchObject({
      claude: { attempts: 1, cost_usd: 0.33 },
      codex: { attempts: 1, estimated_usd: 0.56 },
      pi: { attempts: 1, cost_usd: 0.33 },
    });
    expect(await scene.processes()).toEqual([]);
    const { stdout } = await scene.raymond(["status", RUN]);
    expect(stdout).toMatch(/^on +claude, codex, pi$/m);
  });

  it.each<[string, Moment]>([
    ["before its client starts", { at: ["prompt.before", "prompt.before#2"], requests: 1 }],
    ["before its model answers", { at: null, does: "hangs", requests: 2, justified: 1_000 }],
    [
      "while its answer streams",
      {
        at: ["save.accepted.saved", "save.accepted.saved#2"],
        does: "stalls",
        requests: 2,
        justified: 3 * CUT_OFF,
      },
    ],
    ["after the answer, before it is saved", { at: ["prompt.exit", "prompt.exit"], requests: 1 }],
  ])("completes after kill -9 in each step %s", async (_, { justified = 0, ...moment }) => {
    const { scene, signals, commands } = await killedInEachStep(moment);

    const end = await scene.raymond(["resume", RUN]);

    expect(signals).toEqual(["SIGKILL", "SIGKILL", "SIGKILL"]);
    expect(end).toMatchObject({ exitCode: 0, stdout: "approved\n" });
    expect(await moves(scene)).toEqual(["START.md", "IMPLEMENT.md", "REVIEW.md"]);
    for (const agent of AGENTS) {
      const requests = scene.asked.filter((asked) => asked.agent === agent);
      expect(requests).toHaveLength(moment.requests);
      expect(new Set(requests.map(({ prompts }) => prompts[0])).size).toBe(1);
    }
    const [bill, ledger] = [sum(scene.billed()), await spent(scene)];
    expect(scene.billed()).toEqual(PRICES);
    expect(ledger).toBeGreaterThanOrEqual(0.98 * bill);
    expect(ledger).toBeLessThanOrEqual(bill + justified);
    expect(commands.filter((command) => command.includes(codexPath()))).toEqual([]);
    expect(await endMarked("HOME", scene.project.home)).toEqual([]);
  });
});

/** Starts the run, resumes it twice, and kills raymond each time, in each of its three steps once. */
async function killedInEachStep({ at, does }: Pick<Moment, "at" | "does">) {
  let reached = (): void => undefined;
  const scene = await mixedScene(FILES, (asked) => {
    if (does === undefined || asked.prompts.length > 1) return answer(asked);
    reached();
    return { kind: does };
  });
  const signals: unknown[] = [];
  const commands: string[] = [];
  for (const point of [at?.[0], at?.[1], at?.[1]]) {
    const env = point === undefined ? {} : { [CRASH_AT]: point };
    const running =
      signals.length === 0 ? begin(scene, env) : scene.command(["resume", RUN], { env });
    reached = () => {
      if (at === null) running.kill("SIGKILL");
    };
    signals.push((await running.exit).signal);
    commands.push(...(await scene.processes()).map(({ command }) => command));
  }
  return { scene, signals, commands };
}

function prompt(agent: AgentName, text: string): string {
  return `---\nagent: ${agent}\nmodel: ${MODELS[agent]}\n---\n${text}\n`;
}

function answer({ agent }: Pick<Asked, "agent">): Does {
  return { kind: "says", text: ANSWERS[agent] };
}

function begin(scene: MixedScene, env: Readonly<Record<string, string>> = {}): Running {
  return scene.command([".", "--workflow-id", RUN, "--budget", "50"], { env });
}

/** Booked and estimated, micro-dollars. */
async function spent(scene: MixedScene): Promise<number> {
  const cost = await scene.json<{
    readonly total_cost_usd: number;
    readonly totals: { readonly estimated_usd: number };
  }>("cost", RUN);
  return Math.round((cost.total_cost_usd + cost.totals.estimated_usd) * 1e6);
}

/** The states that the agent has left, by the event log. */
async function moves(scene: MixedScene): Promise<readonly (string | undefined)[]> {
  const text = await scene.project.read(`.raymond/runs/${RUN}/events.jsonl`);
  const events = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string; from?: string; state?: string });
  return events
    .filter(({ type }) => type === "agent.moved" || type === "agent.ended")
    .map(({ from, state }) => from ?? state);
}

function sum(parts: Readonly<Record<AgentName, number>>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}
