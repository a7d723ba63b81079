import { askLogin } from "../../backends/claude/auth.ts";
import { NotLoggedInError } from "../../backends/claude/errors.ts";
import { askVersion, findClient } from "../../backends/claude/locate.ts";
import type { RunSettings } from "../../core/machine/run-state.ts";
import type { Caller } from "../caller.ts";
import { isContainer, machineFacts, UNCONTAINED } from "../container.ts";
import { RootWithoutSandboxError } from "../errors.ts";
import { inherited } from "./inherited.ts";

/** What the checks before the first state have found. */
export interface Checked {
  /** Absolute path of the client; null where no prompt needs it. */
  readonly client: string | null;
  readonly warnings: readonly string[];
  /** Settles beside the first steps: a warning, or null. Never rejects. */
  readonly later: Promise<string | null>;
  /** Ends what still looks: it shall not outlive the run. Never rejects. */
  readonly end: () => Promise<void>;
}

/** What is about to run. */
interface Upcoming {
  readonly settings: RunSettings;
  /** The workflow has prompt states that the client will answer. */
  readonly prompts: boolean;
  /** One of them comes first: then it must be logged in now. */
  readonly promptFirst: boolean;
}

/**
 * The checks before the first state (docs/claude.md, "Log-in"): the client is
 * found, its version is known or warned about, it is logged in, and it may skip
 * permissions here. Rejects with a RaymondError that says what to do. Spends
 * nothing.
 */
export async function checkClient(upcoming: Upcoming, caller: Caller): Promise<Checked> {
  const { settings, prompts, promptFirst } = upcoming;
  if (!prompts) return { client: null, warnings: [], ...NOTHING_LATER };
  if (settings.skipPermissions && isRoot() && caller.env["IS_SANDBOX"] !== "1") {
    throw new RootWithoutSandboxError();
  }
  const env = inherited(caller.env);
  const path = await findClient(settings.client, env, caller.cwd);
  // Each question takes a start of the client: they are asked at the same time.
  const done = new AbortController();
  const login = askLogin(path, env, caller.cwd, done.signal);
  const { warning } = await askVersion(path, env, caller.cwd).catch(async (error: unknown) => {
    done.abort();
    await Promise.allSettled([login]);
    throw error;
  });
  const uncontained = settings.skipPermissions && !isContainer(await machineFacts(caller.env));
  const warnings = [...(warning === null ? [] : [warning]), ...(uncontained ? [UNCONTAINED] : [])];
  if (promptFirst) {
    if ((await login).state === "out") throw new NotLoggedInError();
    return { client: path, warnings, ...NOTHING_LATER };
  }
  const later = login.then(
    ({ state }) =>
      state === "out" ? "claude is not logged in: the first prompt step will fail." : null,
    () => null,
  );
  const end = async () => {
    done.abort();
    await later;
  };
  return { client: path, warnings, later, end };
}

const NOTHING_LATER = { later: Promise.resolve(null), end: () => Promise.resolve() };

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
