import { describe, expect, it } from "vitest";
import { endMarked, killMarked, type MarkedProcess } from "../support/process/leaks.ts";
import {
  AGENTS,
  type AgentName,
  answer,
  begin,
  costs,
  FILES,
  type MixedScene,
  mixedScene,
  RUN,
  sum,
} from "./mixed-scene.ts";

/** Commands of the models are allowed. */
const UNASKED = { flags: ["--dangerously-skip-permissions"], env: { IS_SANDBOX: "1" } };

describe("while a tool of a step runs", () => {
  it.each(["raymond", "everything"] as const)(
    "kill -9 of %s: the conversation continues, and the answer before the tool is paid for once",
    async (victim) => {
      const scene = await toolScene();
      for (const agent of AGENTS) {
        const running =
          agent === "claude"
            ? begin(scene, UNASKED.env, UNASKED.flags)
            : scene.command(["resume", RUN], UNASKED);
        await scene.project.fileWith(startedBy(agent));
        running.kill("SIGKILL");
        if (victim === "everything") killMarked(await scene.processes());
        expect((await running.exit).signal).toBe("SIGKILL");
      }

      const end = await scene.raymond(["resume", RUN], UNASKED);

      expect(end).toMatchObject({ exitCode: 0, stdout: "approved\n" });
      await expectContinued(scene);
    },
  );

  it("kill -9 of the client: raymond ends the tool, and the same run continues the conversation", async () => {
    const scene = await toolScene();
    const running = begin(scene, UNASKED.env, UNASKED.flags);

    for (const agent of AGENTS) {
      await scene.project.fileWith(startedBy(agent));
      killMarked(clientsAmong(await scene.processes()));
    }

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "approved\n" });
    await expectContinued(scene);
  });
});

/** Each model first runs a command that does not end, and answers when its conversation continues. */
function toolScene(): Promise<MixedScene> {
  return mixedScene(FILES, (asked) => {
    const { agent, prompts } = asked;
    if (prompts.length > 1) return answer(asked);
    const command = `echo > ${startedBy(agent)}; tail -f /dev/null`;
    return { kind: "runs", command, text: "The tool has ended." };
  });
}

function startedBy(agent: AgentName): string {
  return `started-${agent}`;
}

/** The clients, without raymond and the tools. pi sets its process title. */
function clientsAmong(all: readonly MarkedProcess[]): readonly MarkedProcess[] {
  return all.filter(({ command }) => /(?:^|\/)(?:claude|codex|pi)(?:\s|$)/.test(command));
}

/** Each conversation got its prompt and one note, and the ledger is the bill. */
async function expectContinued(scene: MixedScene): Promise<void> {
  const { spent, backends } = await costs(scene);
  for (const agent of AGENTS) {
    const asked = scene.asked.filter((request) => request.agent === agent);
    expect(asked.map(({ prompts }) => prompts.length)).toEqual([1, 2]);
    expect(asked[1]?.prompts[0]).toBe(asked[0]?.prompts[0]);
    expect(backends[agent]?.attempts).toBe(2);
  }
  const bill = sum(scene.billed());
  expect(spent).toBeGreaterThanOrEqual(0.98 * bill);
  expect(spent).toBeLessThanOrEqual(1.02 * bill);
  expect(await endMarked("HOME", scene.project.home)).toEqual([]);
}
