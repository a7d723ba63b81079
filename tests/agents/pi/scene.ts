import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { AgentParts } from "../../../src/clients/common/coding-agent.ts";
import { ConversationCopies } from "../../../src/clients/common/conversations/conversation-copies.ts";
import type { ConversationStore } from "../../../src/clients/common/conversations/conversation-store.ts";
import { incrementalCopies } from "../../../src/clients/common/conversations/incremental-copy.ts";
import { withConversationCopies } from "../../../src/clients/common/conversations/with-conversation-copies.ts";
import { piBackend } from "../../../src/clients/pi/pi.ts";
import { sessionStore } from "../../../src/clients/pi/sessions/session-store.ts";
import type { Backend, Invocation, Reply } from "../../../src/engine/ports/backend.ts";
import { steadyClock } from "../../../src/engine/steady-clock.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { systemClock } from "../../../src/wire/system/system.ts";
import { invocation, witness } from "../../contracts/backend.ts";
import { cancellation } from "../../support/cancellation.ts";
import type { Reply as Answers } from "../../support/client/messages-answer.ts";
import { type MessagesApi, startMessagesApi } from "../../support/client/messages-api.ts";
import { noSecrets } from "../../support/no-secrets.ts";
import { type Project, tempProject } from "../../support/project.ts";
import { piPath } from "./install.ts";

/** Costs $3 and $15 per million tokens, also in the mock. */
export const MODEL = "mock/model-1";

/** pi with a local API, and the run's copies of its conversations. */
export interface PiScene {
  readonly project: Project;
  readonly api: MessagesApi;
  readonly backend: Backend;
  readonly store: ConversationStore;
  readonly call: (changes?: Partial<Invocation>) => Invocation;
  /** Calls the backend to its end. */
  readonly ask: (
    changes?: Partial<Invocation>,
  ) => Promise<Reply & { readonly calls: readonly string[] }>;
  close(): Promise<void>;
}

/** `settings`: those of the user of pi. */
export async function piScene(
  reply: Answers,
  settings: Readonly<Record<string, unknown>> = {},
  changes: Partial<AgentParts> = {},
): Promise<PiScene> {
  const project = await tempProject({});
  const api = await startMessagesApi({ reply });
  const agent = path.join(project.home, ".pi", "agent");
  await mkdir(agent, { recursive: true });
  await writeFile(path.join(agent, "models.json"), JSON.stringify(models(api.url)));
  await writeFile(path.join(agent, "settings.json"), JSON.stringify(settings));
  const store = sessionStore(project.env, project.home);
  const options: Omit<AgentParts, "settings"> = {
    command: piPath(),
    env: () => project.env,
    home: project.home,
    projectAccess: () => Promise.resolve({ kind: "ignore", files: [], warning: null }),
    timers: steadyClock(systemClock),
    start: startProcess,
    secrets: noSecrets(),
    ...changes,
  };
  const warnings: string[] = [];
  const copies = new ConversationCopies({
    ...{ store, folder: path.join(project.home, "copies"), files: incrementalCopies },
    secrets: noSecrets(),
    warn: (message) => warnings.push(message),
  });
  const backend = withConversationCopies(piBackend(options), copies);
  const call = (own: Partial<Invocation> = {}) =>
    invocation({ cwd: project.dir, model: MODEL, ...own });
  return {
    ...{ project, api, backend, store, call },
    ask: async (own) => {
      const { calls, listener, recorder } = witness();
      const answer = await backend.invoke(call(own), cancellation(), listener, recorder);
      return { ...answer, calls };
    },
    close: async () => {
      await copies.close();
      await api.close();
    },
  };
}

/** A scene that ends with the test. */
export async function scene(...args: Parameters<typeof piScene>): Promise<PiScene> {
  const made = await piScene(...args);
  onTestFinished(() => made.close());
  return made;
}

/** The models of pi: one with a price, and a free one. */
export function models(baseUrl: string): unknown {
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const limits = { contextWindow: 200_000, maxTokens: 8_000, reasoning: true };
  const all = [
    { id: "model-1", ...limits, cost },
    { id: "free", ...limits },
  ];
  const provider = { baseUrl, api: "anthropic-messages", apiKey: "test", models: all };
  return { providers: { mock: provider } };
}

/** One request per error, as pi retries three times by default. */
export const NO_RETRY = { retry: { enabled: false } } as const;
