import { claudeBackend } from "../../src/clients/claude/claude.ts";
import { steadyClock } from "../../src/engine/steady-clock.ts";
import { startProcess } from "../../src/process/children/run-process.ts";
import { systemClock } from "../../src/wire/system/system.ts";
import {
  ANSWER,
  type BackendCase,
  describeBackend,
  invocation,
  type Scenario,
} from "../contracts/backend.ts";
import { MODEL } from "../support/client/client-call.ts";
import {
  CLIENT_VERSIONS,
  type ClientVersion,
  clientPath,
  NEWEST_VERSION,
} from "../support/client/clients.ts";
import { type Answer, fails, says, stalls } from "../support/client/messages-answer.ts";
import { startMessagesApi } from "../support/client/messages-api.ts";
import { noSecrets } from "../support/no-secrets.ts";
import { tempProject } from "../support/project.ts";

const DOES: { readonly [S in Scenario]: Answer } = {
  answers: says(ANSWER),
  hangs: stalls("I begin, and"),
  fails: fails(400, "No."),
  capped: says(ANSWER),
};

// What docs/claude.md says of every call, asked of the client itself.
for (const client of [...CLIENT_VERSIONS, NEWEST_VERSION] as const) {
  describeBackend(`the client ${client}`, (scenario) => open(client, scenario));
}

async function open(client: ClientVersion, scenario: Scenario): Promise<BackendCase> {
  const project = await tempProject({});
  const api = await startMessagesApi({ reply: () => DOES[scenario] });
  const backend = claudeBackend({
    projectAccess: () => Promise.resolve({ kind: "load" }),
    command: clientPath(client),
    env: () => ({
      ...project.env,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: "test",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
    }),
    settings: { switches: {} },
    timers: steadyClock(systemClock),
    start: startProcess,
    secrets: noSecrets(),
  });
  return {
    backend,
    call: (changes) => invocation({ cwd: project.dir, model: MODEL, ...changes }),
    close: () => api.close(),
  };
}
