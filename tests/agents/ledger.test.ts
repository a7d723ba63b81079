import { describe, expect, it } from "vitest";
import { cutOff, fails, says, uses } from "../support/client/messages-answer.ts";
import { endMarked, killMarked } from "../support/process/leaks.ts";
import * as responses from "./codex/responses-api.ts";
import {
  AGENTS,
  type AgentName,
  costs,
  type Does,
  type MixedScene,
  MODELS,
  mixedScene,
  RUN,
  TOKENS,
} from "./mixed-scene.ts";

/** The ledger of a run divided by the bill of its API (docs/budgets.md, "How money is counted"). */
const ACCURATE = [0.98, 1.05] as const;

interface Row {
  readonly name: string;
  /** The answer to request `number`, from 1; null: the prompt's transition. */
  readonly fault: (number: number) => Does | null;
  /** Ends the first command; by default it ends by itself. */
  readonly end?: (scene: MixedScene, kill: (signal: "SIGINT" | "SIGKILL") => void) => Promise<void>;
  readonly budget?: number;
}

const USAGE = { ...TOKENS, cached: 0 };
/** As long as its tokens. */
const TEXT = "four".repeat(TOKENS.output);
const ENDLESS = "echo started > started; tail -f /dev/null";

const ROWS: readonly Row[] = [
  { name: "an answer that is cut twice", fault: at([2, 3], cut()) },
  {
    name: "a refusal",
    fault: at([2], early("refusal", "content_filter")),
  },
  {
    name: "an answer at the output limit",
    fault: at([2], early("max_tokens", "max_output_tokens")),
  },
  {
    name: "a full context",
    fault: at([2], {
      kind: "answers",
      message: () => says(TEXT, { usage: TOKENS, stop: "model_context_window_exceeded" }),
      response: { kind: "breaks", code: "context_length_exceeded", message: "Too long." },
    }),
  },
  {
    name: "no credit",
    fault: at([2], failure("Your credit balance is too low.", "insufficient_quota")),
  },
  {
    name: "a spend limit",
    fault: at(
      [2],
      failure("You have reached your specified API usage limits.", "billing_hard_limit_reached"),
    ),
  },
  {
    name: "a stop at the budget between tools",
    budget: 1,
    fault: (number) => (number < 8 ? tool("true") : null),
  },
  ...(["SIGINT", "SIGKILL"] as const).map(
    (signal): Row => ({
      name: `a tool during which ${signal === "SIGINT" ? "raymond is interrupted" : "all is killed"}`,
      fault: at([2], tool(ENDLESS)),
      end: async ({ project }, kill) => {
        await project.fileWith("started");
        kill(signal);
      },
    }),
  ),
];

describe.each(ROWS)("after $name", ({ fault, end, budget = 50 }) => {
  it.each(AGENTS)("the ledger of %s matches the bill", async (agent) => {
    let requests = 0;
    const files = { "START.md": prompt(agent, "Alpha."), "NEXT.md": prompt(agent, "Beta.") };
    const answer = ({ prompts }: { readonly prompts: readonly string[] }): Does => {
      requests += 1;
      const isSecond = prompts.some((text) => text.includes("Beta."));
      const text = isSecond ? "<result>end</result>" : "<goto>NEXT</goto>";
      return fault(requests) ?? { kind: "says", text };
    };
    const scene = await mixedScene(files, answer, 3);
    const flags = ["--dangerously-skip-permissions", "--trust-project", "--workflow-id", RUN];
    const env = { IS_SANDBOX: "1", CLAUDE_CODE_MAX_RETRIES: "3" };
    const running = scene.command([".", "--no-wait", "--budget", String(budget), ...flags], {
      env,
    });
    await end?.(scene, (signal) => {
      running.kill(signal);
    });
    const ends = [await running.exit];
    if (ends[0]?.signal === "SIGKILL") killMarked(await scene.processes());

    while (ends.at(-1)?.exitCode !== 0 && ends.length < 3) {
      ends.push(
        await scene.raymond(["resume", RUN, "--no-wait", "--budget", "50", "--trust-project"], {
          env,
        }),
      );
    }

    const { spent } = await costs(scene);
    const bill = scene.billed()[agent];
    const [least, most] = ACCURATE;
    expect(spent / bill).toBeGreaterThanOrEqual(least);
    expect(spent / bill).toBeLessThanOrEqual(most);
    expect(await endMarked("HOME", scene.project.home)).toEqual([]);
  });
});

function prompt(agent: AgentName, text: string): string {
  return `---\nagent: ${agent}\nmodel: ${MODELS[agent]}\n---\n${text}\n`;
}

function at(numbers: readonly number[], does: Does): Row["fault"] {
  return (number) => (numbers.includes(number) ? does : null);
}

function cut(): Does {
  return {
    kind: "answers",
    message: () => cutOff("I begin, and", "overload", { usage: TOKENS }),
    response: { kind: "cuts", usage: USAGE },
  };
}

/** An answer that the provider ends early, for a reason in the terms of Anthropic and OpenAI. */
function early(stop: "refusal" | "max_tokens", reason: string): Does {
  return {
    kind: "answers",
    message: () => says(TEXT, { usage: TOKENS, stop }),
    response: { kind: "ends-early", reason, text: TEXT, usage: USAGE },
  };
}

function failure(message: string, code: string): Does {
  return {
    kind: "answers",
    message: () => fails(400, message),
    response: responses.fails(429, { code, type: code, message }),
  };
}

function tool(command: string): Does {
  const call = (shell: string, left: number): ReturnType<typeof uses> => {
    const then = left === 0 ? says("none") : call(shell, left - 1);
    return uses(shell, { command, description: "run it" }, then, { usage: TOKENS });
  };
  return {
    kind: "answers",
    message: (shell) => call(shell, 20),
    response: responses.runs(command, USAGE),
  };
}
