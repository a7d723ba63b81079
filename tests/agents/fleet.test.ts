import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fleetScene } from "../e2e/fleet/scene.ts";
import { completed } from "../e2e/fleet/waiting.ts";
import { says } from "../support/client/messages-answer.ts";
import { messagesApi } from "../support/client/messages-api.ts";
import { killMarked, markedProcesses } from "../support/process/leaks.ts";
import { codexPath } from "./codex/install.ts";
import * as codexApi from "./codex/responses-api.ts";
import { MODEL as CODEX_MODEL, configFor } from "./codex/scene.ts";
import { piPath } from "./pi/install.ts";
import { models, NO_RETRY, MODEL as PI_MODEL } from "./pi/scene.ts";

const state = (agent: string, model: string, text: string) =>
  `---\nagent: ${agent}\nmodel: ${model}\n---\n${text}\n`;

/** Codex calls a function of pi, and continues with its result. */
const FILES = {
  "w/START.md": state("codex", CODEX_MODEL, "Alpha."),
  "w/CHILD.md": state("pi", PI_MODEL, "Beta."),
  "w/MORE.md": state("pi", PI_MODEL, "Gamma."),
  "w/BACK.md": state("codex", CODEX_MODEL, "Delta: {{result}}"),
};

it("continues the conversations of Codex and pi on another machine, each with the folder of its own client", async () => {
  const asked: (readonly string[])[] = [];
  const ask = (prompts: readonly string[]) => {
    const texts = prompts.map((text) => text.trimEnd());
    asked.push(texts);
    return texts.at(-1);
  };
  let isDown = true;
  const codex = await codexApi.startResponsesApi(({ prompts }) =>
    codexApi.says(
      ask(prompts) === "Alpha."
        ? '<function return="BACK">CHILD</function>'
        : "<result>end</result>",
    ),
  );
  onTestFinished(() => codex.close());
  const pi = await messagesApi(({ prompts }) => {
    if (ask(prompts) === "Beta.") return says("<goto>MORE</goto>");
    return isDown ? { kind: "hang" } : says("<result>found</result>");
  });
  const scene = await fleetScene(FILES, {
    envOf: (machine, { home }) => {
      const codexHome = path.join(home, machine, "codex");
      const piFolder = path.join(home, machine, "pi");
      for (const folder of [codexHome, piFolder]) mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(codexHome, "config.toml"), configFor(codex.url, "CODEX_API_KEY"));
      writeFileSync(path.join(piFolder, "models.json"), JSON.stringify(models(pi.url)));
      writeFileSync(path.join(piFolder, "settings.json"), JSON.stringify(NO_RETRY));
      return {
        ...{ CODEX_HOME: codexHome, CODEX_API_KEY: "test", PI_CODING_AGENT_DIR: piFolder },
        [MACHINE]: markOf(machine, home),
      };
    },
  });
  await scene.worker("one");
  const id = await scene.submit(
    ...["w", "--workspace", "shared", "--failover-after", "1s", "--sessions", "pg"],
    ...["--client", `codex=${codexPath()}`, "--client", `pi=${piPath()}`],
  );
  await pi.arrival(({ prompts }) => prompts.at(-1)?.trimEnd() === "Gamma.");

  await scene.worker("two");
  isDown = false;
  killMarked(await markedProcesses(MACHINE, markOf("one", scene.project.home)));
  await scene.database.query(
    "UPDATE raymond.holders SET heartbeat_at = now() - interval '1 hour' WHERE machine = 'one'",
  );

  expect(await scene.rowOf(id, completed)).toMatchObject({ home: "two", steps: 4 });
  expect(asked).toEqual([
    ["Alpha."],
    ["Beta."],
    ["Beta.", "Gamma."],
    // The request of the killed machine is repeated, in the same conversation.
    ["Beta.", "Gamma."],
    ["Alpha.", "Delta: found"],
  ]);
});

const MACHINE = "TEST_MACHINE";

function markOf(machine: string, home: string): string {
  return `${home}/${machine}`;
}
