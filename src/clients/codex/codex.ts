import type { Backend, Invocation } from "../../engine/ports/backend.ts";
import type { Capabilities } from "../../machine/backends/backend-facts.ts";
import type { SessionId } from "../../machine/model/agent.ts";
import type { Failure } from "../../machine/model/failure.ts";
import { failure } from "../../machine/model/failure.ts";
import { notStarted, requireId, sessionInUse } from "../common/call-failures.ts";
import type { AgentParts } from "../common/coding-agent.ts";
import { clause, permanent } from "../common/ending.ts";
import type { StreamSink } from "../common/output/agent-stream.ts";
import type { ProjectAccess } from "../common/project-access.ts";
import { runCall } from "../common/run-call.ts";
import { warnOfUnsupported } from "../common/unsupported.ts";
import { codexArgs } from "./args.ts";
import { hasListPrice } from "./list-price.ts";
import { findCodex, TESTED_VERSION } from "./locate.ts";
import { classify } from "./output/classify.ts";
import { lostConversation } from "./output/process-failure.ts";
import { CodexStream } from "./output/stream.ts";
import { type Profile, profileOf } from "./permission-profile.ts";
import { accessArgs } from "./project-access.ts";
import { lastOutputIn } from "./rollouts/last-output.ts";
import { branchRollout, plantRollout } from "./rollouts/new-rollout.ts";
import { codexHome } from "./rollouts/rollout-place.ts";
import { rolloutStore } from "./rollouts/rollout-store.ts";
import { type RolloutWatch, watchRollout } from "./rollouts/rollout-watch.ts";

export const CAN: Capabilities = {
  branch: true,
  resume: true,
  effort: true,
  budget: false,
  tools: false,
  sandbox: true,
  container: false,
  mcp: false,
  cost: "priced",
  permissions: ["read-only", "read", "write"],
};

/** Codex CLI as a backend: one process per call (docs/codex.md). */
export function codexBackend(options: AgentParts): Backend {
  return {
    name: "codex",
    can: CAN,
    // `withConversationCopies` reads the conversations.
    recover: () => Promise.resolve(null),
    // The default model depends on the user's configuration.
    hasPrice: (model) => model !== null && hasListPrice(model),
    invoke: async (call, cancellation, listener, recorder) => {
      const profile = profileOf(call, options.home);
      if (profile.kind === "impossible") return notStarted(unenforceable(call, profile.problem));
      const access = await options.projectAccess(call.cwd);
      if (access.kind === "ignore" && access.warning !== null) listener.warning(access.warning);
      const prepared = await prepare(call, access, options);
      if (!prepared.ok) return notStarted(prepared.failure);
      warnOfUnsupported("codex", call, listener);
      return run(call, { ...prepared, profile }, [cancellation, listener, recorder], options);
    },
  };
}

type Rest = Parameters<Backend["invoke"]> extends [unknown, ...infer R] ? R : never;

/** The conversation of a call, before the client starts. */
interface Prepared {
  readonly session: SessionId;
  readonly file: string;
  /** Bytes of the file: what follows is of the call. */
  readonly start: number;
  /** Arguments. */
  readonly access: readonly string[];
}

async function run(
  call: Invocation,
  { session, file, start, access, profile }: Prepared & { readonly profile: Usable },
  [cancellation, listener, recorder]: Rest,
  options: AgentParts,
) {
  const { timers, secrets } = options;
  const inherited = options.env(call.environment);
  // A resume checks no client of states that the run has not reached, so this can still be npm's launcher.
  const command = await findCodex(options.command, inherited, call.cwd).catch(
    () => options.command,
  );
  const lastOutput = await lastOutputIn(file, start);
  const watches: RolloutWatch[] = [];
  const process = {
    ...{ call, command, input: call.prompt },
    args: codexArgs(call, session, profile, access),
    set: call.env,
    inherited,
    open: (sink: StreamSink) => {
      const stream = new CodexStream(sink, { ...call, lastOutput }, secrets);
      const stored = (line: string) => {
        stream.stored(line);
      };
      watches.push(watchRollout(file, start, stored, timers));
      return stream;
    },
  };
  const stop = () => Promise.all(watches.map((watch) => watch.stop()));
  try {
    const { stream, ending } = await runCall(process, cancellation, listener, recorder, options);
    await stop();
    const { facts } = stream;
    recorder.meta({ ...facts.spend, accepted: facts.accepted });
    return classify({ ...ending, facts });
  } finally {
    await stop();
  }
}

type Usable = Exclude<Profile, { kind: "impossible" }>;

/** Finds or creates the conversation. Rejects only for bugs. */
async function prepare(
  call: Invocation,
  access: ProjectAccess,
  { env, home, timers }: AgentParts,
): Promise<({ readonly ok: true } & Prepared) | { readonly ok: false; readonly failure: Failure }> {
  const { session, cwd } = call;
  const id = requireId(session);
  const variables = env(call.environment);
  const store = rolloutStore(variables, home, () => timers.now());
  try {
    const args = await accessArgs(access, codexHome(variables, home), cwd);
    const { file, size } = await store.find(id, cwd);
    if (session.mode === "resume") {
      if (size === null) return { ok: false, failure: lostConversation(id) };
      return { ok: true, session: id, file, start: size, access: args };
    }
    if (size !== null) {
      return { ok: false, failure: sessionInUse(`codex already has a conversation ${id}.`) };
    }
    const place = { session: id, file };
    if (session.mode === "fresh") {
      await plantRollout(place, { cwd, version: TESTED_VERSION, now: timers.now() });
    } else {
      const source = await store.find(session.source, cwd);
      if (source.size === null) return { ok: false, failure: lostConversation(session.source) };
      await branchRollout(place, { session: session.source, file: source.file });
    }
    const start = (await store.find(id, cwd)).size ?? 0;
    return { ok: true, session: id, file, start, access: args };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `Cannot prepare conversation ${id}: ${clause(why)}.`;
    return { ok: false, failure: failure("crash", message, FOLDER) };
  }
}

const FOLDER = "Check the client's folder (CODEX_HOME, or ~/.codex) and the space on its disk.";

function unenforceable({ state }: Invocation, items: string): Failure {
  return permanent(
    `codex cannot enforce these permissions of ${state}: ${items}.`,
    "Write them without wildcards: a folder includes its content.",
  );
}
