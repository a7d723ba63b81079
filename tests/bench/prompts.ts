import path from "node:path";
import { MODEL } from "../support/client/client-call.ts";
import { CLIENT_VERSIONS, clientPath, installClients } from "../support/client/clients.ts";
import { says } from "../support/client/messages-answer.ts";
import { startMessagesApi } from "../support/client/messages-api.ts";
import { scaled, timeInTurns, without } from "./measure.ts";
import type { Scale } from "./scale.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { onePrompt, promptLoop } from "./workflows.ts";

/** Processor time of raymond alone per prompt step, with the newest real client and a local API. */
export async function comparePrompts(
  bed: TestBed,
  { prompts: steps, longRounds }: Scale,
): Promise<readonly Row[]> {
  const client = CLIENT_VERSIONS.at(-1) ?? CLIENT_VERSIONS[0];
  await installClients([client]);
  const api = await startMessagesApi({
    // The conversation contains one prompt for each step so far.
    reply: ({ prompt, prompts }) => {
      const isLast = !prompt.includes("Continue") || prompts.length >= steps;
      return says(isLast ? "<result>done</result>" : "<goto>START</goto>");
    },
  });
  const env = {
    HOME: bed.root,
    CLAUDE_CONFIG_DIR: path.join(bed.root, ".claude"),
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "test",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const run = (workflow: string) => ({
    ...bed.raymond(workflow, "--quiet", "--claude", clientPath(client), "--model", MODEL),
    env,
  });
  try {
    const one = run(await bed.workflow("one-prompt", onePrompt));
    const loop = run(await bed.workflow("prompts", promptLoop));
    const times = await timeInTurns({ one, loop }, Math.ceil(longRounds / 2));
    const raymond = scaled(without(times.loop.cpu, times.one.cpu), 1 / (steps - 1));
    const what = `own processor time per prompt step, client ${client}`;
    return [{ what, floor: null, raymond, unit: "ms", target: 5 }];
  } finally {
    await api.close();
  }
}
