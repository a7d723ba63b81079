import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { codex } from "../../../src/clients/codex/agent.ts";
import { findCodex } from "../../../src/clients/codex/locate.ts";
import { ConversationCopies } from "../../../src/clients/common/conversations/conversation-copies.ts";
import type { ConversationStore } from "../../../src/clients/common/conversations/conversation-store.ts";
import { incrementalCopies } from "../../../src/clients/common/conversations/incremental-copy.ts";
import { withConversationCopies } from "../../../src/clients/common/conversations/with-conversation-copies.ts";
import type { ProjectAccess } from "../../../src/clients/common/project-access.ts";
import type { Backend, Invocation } from "../../../src/engine/ports/backend.ts";
import { steadyClock } from "../../../src/engine/steady-clock.ts";
import type { Session } from "../../../src/machine/model/agent.ts";
import type { SpendReport } from "../../../src/machine/model/spend.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { systemClock } from "../../../src/wire/system/system.ts";
import { type BackendCase, invocation, witness } from "../../contracts/backend.ts";
import { cancellation } from "../../support/cancellation.ts";
import { noSecrets } from "../../support/no-secrets.ts";
import { type Project, tempProject } from "../../support/project.ts";
import { CODEX_HOMES, codexPath } from "./install.ts";
import {
  type Answer,
  type Request,
  type ResponsesApi,
  startResponsesApi,
  type Usage,
} from "./responses-api.ts";

/** On the price list. */
export const MODEL = "gpt-5.5";

/** Codex with a local API. */
export interface CodexScene extends BackendCase {
  /** With copies of conversations. */
  readonly backend: Backend;
  readonly api: ResponsesApi;
  readonly project: Project;
  /** The client's own folder. */
  readonly home: string;
  readonly store: ConversationStore;
  /** The native program. */
  readonly command: string;
  /** The environment of the client. */
  readonly env: Readonly<Record<string, string>>;
  /** One call to its end. */
  ask(session: Session, changes?: Partial<Invocation>): ReturnType<Backend["invoke"]>;
  /** The stored conversation; empty if there is none. */
  rollout(session: string): Promise<string>;
}

export interface SceneOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** Added to the client's config.toml, at its start. */
  readonly first?: string;
  /** The user trusts the project in the client. */
  readonly trusted?: boolean;
  /** Rules of the user for commands. */
  readonly rules?: string;
  /** How often the client repeats a request whose answer broke off. */
  readonly retries?: number;
  /** The client has its sandbox. */
  readonly sandboxed?: boolean;
  readonly access?: ProjectAccess;
  /** The client's own folder, of another scene. */
  readonly home?: string;
}

export async function codexScene(
  reply: (request: Request) => Answer,
  { files = {}, sandboxed = false, access = { kind: "load" }, ...more }: SceneOptions = {},
): Promise<CodexScene> {
  const project = await tempProject(files);
  const api = await startResponsesApi(reply);
  const home = more.home ?? (sandboxed ? await homeInCache() : path.join(project.home, ".codex"));
  await mkdir(home, { recursive: true });
  const trust = `[projects."${project.dir}"]\ntrust_level = "trusted"`;
  const config = [
    more.first ?? "",
    configFor(api.url, "MOCK_KEY", more.retries),
    more.trusted === true ? trust : "",
  ];
  await writeFile(path.join(home, "config.toml"), config.join("\n"));
  if (more.rules !== undefined) {
    await mkdir(path.join(home, "rules"));
    await writeFile(path.join(home, "rules", "default.rules"), more.rules);
  }
  const env = { ...project.env, CODEX_HOME: home, MOCK_KEY: "test" };
  const command = await findCodex(codexPath(), env, project.dir);
  const place = { env, home: project.home };
  const store = codex.conversations?.(place) as ConversationStore;
  const timers = steadyClock(systemClock);
  const opened = codex.open({
    ...{ command, timers, start: startProcess, secrets: noSecrets(), home: project.home },
    env: () => env,
    settings: { switches: {} },
    projectAccess: () => Promise.resolve(access),
  });
  const copies = new ConversationCopies({
    ...{ store, files: incrementalCopies, secrets: noSecrets(), warn: () => undefined },
    folder: path.join(project.home, "copies"),
  });
  const backend = withConversationCopies(opened, copies);
  const call = (changes: Partial<Invocation> = {}) =>
    invocation({ cwd: project.dir, model: MODEL, ...changes });
  return {
    ...{ backend, api, project, home, store, command, env, call },
    ask: (session, changes) => {
      const { listener, recorder } = witness();
      return backend.invoke(call({ session, ...changes }), cancellation(), listener, recorder);
    },
    rollout: async (session) => {
      const { file, size } = await store.find(session, project.dir);
      return size === null ? "" : readFile(file, "utf8");
    },
    close: async () => {
      await copies.close();
      await api.close();
    },
  };
}

async function homeInCache(): Promise<string> {
  const home = await mkdtemp(path.join(CODEX_HOMES, "home-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  return home;
}

/** `key`: the variable with the key of the API. */
export function configFor(url: string, key = "MOCK_KEY", retries = 0): string {
  return `model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "${url}"
env_key = "${key}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = ${String(retries)}
[analytics]
enabled = false`;
}

/** The bill of the API, micro-dollars, at the list price of {@link MODEL}. */
export function bill(billed: readonly Usage[]): number {
  return billed.reduce(
    (sum, { input, cached, output }) => sum + (input - cached) * 5 + cached * 0.5 + output * 30,
    0,
  );
}

/** What raymond will charge for a call, micro-dollars. */
export function listed({ unreported }: SpendReport): number {
  return unreported.reduce((sum, { listMicroUsd }) => sum + (listMicroUsd ?? 0), 0);
}
