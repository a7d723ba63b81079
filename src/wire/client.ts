import { askLogin } from "../clients/claude/auth.ts";
import { claudeErrors } from "../clients/claude/errors.ts";
import { askVersion, findClient } from "../clients/claude/locate.ts";
import type { Caller } from "./caller.ts";
import { type Checked, NOTHING_NEEDED, type Upcoming } from "./checked.ts";
import { isContainer, machineFacts, UNCONTAINED } from "./container.ts";
import { wireErrors } from "./errors.ts";
import { askerOf } from "./trust/asker.ts";

/**
 * The checks before the first state (docs/claude.md, "Login"): the client is
 * found, its version is known or warned about, it is logged in, and it may skip
 * permissions here. Rejects with a RaymondError that says what to do. Spends
 * nothing.
 */
export async function checkClient(upcoming: Upcoming, caller: Caller): Promise<Checked> {
  const { settings, prompts, promptFirst } = upcoming;
  if (!prompts) return NOTHING_NEEDED;
  if (settings.skipPermissions && isRoot() && caller.env["IS_SANDBOX"] !== "1") {
    throw wireErrors["claude/root-without-sandbox"]();
  }
  const asker = await askerOf(caller);
  const path = await findClient(settings.client, asker.env, caller.cwd);
  // Each question takes a start of the client: they are asked at the same time.
  const done = new AbortController();
  const login = askLogin(path, asker, done.signal);
  const { warning } = await askVersion(path, asker).catch(async (error: unknown) => {
    done.abort();
    await Promise.allSettled([login]);
    throw error;
  });
  const uncontained = settings.skipPermissions && !isContainer(await machineFacts(caller.env));
  const warnings = [...(warning === null ? [] : [warning]), ...(uncontained ? [UNCONTAINED] : [])];
  if (promptFirst) {
    if ((await login).state === "out") throw claudeErrors["claude/not-logged-in"]();
    return { ...NOTHING_NEEDED, client: path, warnings };
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

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
