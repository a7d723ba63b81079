import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import type { Exchange } from "../support/client/messages-api.ts";
import { type Scene, setScene } from "./scene.ts";

/**
 * The provider caches the start of a request: model, tools, system prompt and messages so far
 * (docs/performance.md, "Prompt cache"). One changed byte makes the rest new input.
 */
describe.each(CLIENT_VERSIONS)("with the client %s", (client) => {
  it("each step continues the previous request byte by byte, whatever else changes", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": state("Alpha."),
        "TOOLS.md": state("Beta.", "allowed_tools: [Bash(git log:*)]"),
        "DENIED.md": state("Gamma.", "disallowed_tools: [Bash(git push:*)]", "effort: high"),
        "SCRIPT.sh": "echo '<goto>CALLER</goto>'",
        "CALLER.md": state("Delta."),
        "CHILD.md": state("Epsilon.", "effort: low"),
        "BACK.md": state("Zeta.", "allowed_tools: [Read]"),
      },
      [
        ["Alpha", says("<goto>TOOLS</goto>", { usage: { input: 2, cacheWrite: 998 } })],
        ["Beta", says("<goto>DENIED</goto>", { usage: { input: 2, cacheRead: 998 } })],
        ["Gamma", says("<goto>SCRIPT</goto>", { usage: { input: 100, cacheRead: 300 } })],
        ["Delta", says('<call return="BACK">CHILD</call>')],
        ["Epsilon", says("<result>found</result>")],
        ["Zeta", says("<result>end</result>")],
      ],
    );

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "end\n" });
    const [alpha, beta, gamma, delta, epsilon, zeta] = requests(scene);
    expect(scene.api.turns).toHaveLength(6);
    expectContinued(alpha, beta);
    expectContinued(beta, gamma);
    expectContinued(gamma, delta);
    // The call branches the conversation, and its result continues that of the caller.
    expectContinued(delta, epsilon);
    expectContinued(delta, zeta);
    expect(zeta?.messages.join("")).not.toContain("Epsilon");

    const cost = JSON.parse((await scene.raymond("cost", "r1", "--json")).stdout) as CostOutput;
    expect(cost.sums.states["TOOLS.md"]?.cache_share).toBeCloseTo(0.998);
    expect(cost.sums.states["DENIED.md"]?.cache_share).toBeCloseTo(0.75);
    expect(cost.sums.states["START.md"]?.cache_share).toBe(0);
    expect(cost.sums.states["SCRIPT.sh"]?.cache_share).toBeNull();
  });

  it("another model or other tools change the request, which lint reports", async () => {
    const scene = await setScene(
      client,
      {
        "START.md": state("Alpha. End with <goto>TOOLS</goto>"),
        "TOOLS.md": state("Beta. End with <goto>MODEL</goto>", "tools: [Read]"),
        "MODEL.md": state(
          "Gamma. End with <result>end</result>",
          "model: claude-haiku-4-5",
          "tools: [Read]",
        ),
      },
      [
        ["Alpha", says("<goto>TOOLS</goto>")],
        ["Beta", says("<goto>MODEL</goto>")],
        ["Gamma", says("<result>end</result>")],
      ],
    );

    await scene.run();

    const [alpha, beta, gamma] = requests(scene);
    expect(beta?.tools).not.toBe(alpha?.tools);
    expect(gamma?.model).not.toBe(beta?.model);
    const { stdout } = await scene.raymond("lint", ".");
    expect(stdout).toMatch(/TOOLS\.md:\d+:\d+: warning: MODEL\.md continues .* \[RAY605\]/);
  });
});

function state(text: string, ...keys: readonly string[]): string {
  return keys.length === 0 ? `${text}\n` : `---\n${keys.join("\n")}\n---\n${text}\n`;
}

interface CostOutput {
  readonly sums: {
    readonly states: Readonly<Record<string, { readonly cache_share: number | null }>>;
  };
}

/** The parts of a request that the provider caches, as JSON. */
interface Request {
  readonly model: string;
  readonly tools: string;
  readonly system: string;
  readonly messages: readonly string[];
}

function requests({ api }: Scene): readonly Request[] {
  return api.turns.map(requestOf);
}

function requestOf({ raw }: Exchange): Request {
  const { model, tools, system, messages } = raw as {
    readonly model: string;
    readonly tools: unknown;
    readonly system: unknown;
    readonly messages: readonly unknown[];
  };
  return {
    model,
    tools: cached(tools),
    system: cached(system),
    messages: messages.map(cached),
  };
}

/** Without the marks that say up to where to cache: they move with each request. */
function cached(part: unknown): string {
  return JSON.stringify(part, (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );
}

function expectContinued(earlier: Request | undefined, later: Request | undefined): void {
  expect(later?.model).toBe(earlier?.model);
  expect(later?.tools).toBe(earlier?.tools);
  expect(later?.system).toBe(earlier?.system);
  expect(later?.messages.slice(0, earlier?.messages.length)).toEqual(earlier?.messages);
  expect(later?.messages.length).toBeGreaterThan(earlier?.messages.length ?? 0);
}
