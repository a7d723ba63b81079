import { homedir } from "node:os";
import path from "node:path";
import type { LevelsOfAgent } from "../../language/permissions/level-facts.ts";
import type { CodingAgent, Installation, ManualSessions } from "../common/coding-agent.ts";
import { messagesIn } from "../common/output/messages-in.ts";
import { manualCodexArgs } from "./args.ts";
import { CAN, codexBackend } from "./codex.ts";
import { CODEX, codexErrors } from "./errors.ts";
import { codexVersion, findCodex } from "./locate.ts";
import { askCodexLogin } from "./login.ts";
import { CodexStream } from "./output/stream.ts";
import { profileOf } from "./permission-profile.ts";
import { codexHome } from "./rollouts/rollout-place.ts";
import { rolloutStore } from "./rollouts/rollout-store.ts";

const installation: Installation = {
  find: (named, env, cwd) => findCodex(named, env, cwd),
  version: codexVersion,
  login: askCodexLogin,
  rootRefusal: null,
  findings: () => Promise.resolve([]),
};

const manual: ManualSessions = {
  reopen: (session) => ["resume", session],
  call: (session, call) => {
    const profile = profileOf(call, homedir());
    // A person is present: without a profile the client asks before each change.
    const known = profile.kind === "impossible" ? READ_ONLY : profile;
    return { args: manualCodexArgs(call, session, known), env: {} };
  },
};

const READ_ONLY = {
  kind: "restricted",
  filesystem: { ":root": "read" },
  network: false,
} as const;

/** As measured (docs/codex.md, "Permissions"). */
const LEVELS: LevelsOfAgent = {
  "read-only": {
    may: "read files and run commands in a sandbox that cannot change files or use the network",
    protects: true,
  },
  edit: {
    may: "run any command in a sandbox without network that can change only the folder of the run and the temporary folders",
    protects: true,
  },
  full: { may: "do anything without asking: there is no sandbox", protects: false },
};

/** Codex CLI (docs/codex.md). */
export const codex: CodingAgent = {
  ...CODEX,
  title: "Codex",
  can: CAN,
  levels: LEVELS,
  errors: codexErrors,
  installation,
  open: codexBackend,
  conversations: ({ env, home }) => rolloutStore(env, home, Date.now),
  written: ({ env, home }) => [path.join(codexHome(env, home), "sessions")],
  manual,
  project: {
    own: ({ env, home }) => codexHome(env, home),
    files: [".codex/config.toml", ".codex/hooks.json", "AGENTS.md"],
  },
  account: {
    variables: [
      ...["CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_HOME"],
      ...["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    ],
    passed: () => ["CODEX_*", "OPENAI_*"],
    credentials: ["CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"],
    reserved: [/^CODEX_/, /^OPENAI_/],
    home: "CODEX_HOME",
  },
  messagesIn: (output) => messagesIn(output, (sink) => new CodexStream(sink)),
  nestedVariables: [
    ...["CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_TOOL_CALL_ID", "CODEX_CI", "CODEX_VERSION"],
    ...["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
    "CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS",
  ],
  skillFile: ".agents/skills/raymond/SKILL.md",
};
