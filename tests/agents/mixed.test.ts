import { describe, expect, it } from "vitest";
import { CRASH_AT } from "../chaos/crash/crash-point.ts";
import { endMarked } from "../support/process/leaks.ts";
import { codexPath } from "./codex/install.ts";
import {
  AGENTS,
  answer,
  begin,
  costs,
  FILES,
  type MixedScene,
  MODELS,
  mixedScene,
  PRICES,
  RUN,
  sum,
} from "./mixed-scene.ts";

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
    expect((await costs(scene)).spent).toBe(sum(PRICES));
    // Codex does not report a cost, so its cost is an estimate.
    expect((await costs(scene)).backends).toMatchObject({
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
    ["before its model answers", { at: null, does: "hangs", requests: 2, justified: 50_000 }],
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
    const { backends, spent: ledger } = await costs(scene);
    for (const agent of AGENTS) expect(backends[agent]?.attempts).toBe(moment.requests);
    const bill = sum(scene.billed());
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
