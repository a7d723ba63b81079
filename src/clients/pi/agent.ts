import path from "node:path";
import type { LevelsOfAgent } from "../../language/permissions/level-facts.ts";
import type { CodingAgent, Installation, ManualSessions } from "../common/coding-agent.ts";
import { findClient } from "../common/locate-client.ts";
import { messagesIn } from "../common/output/messages-in.ts";
import { manualArgs } from "./args.ts";
import { PI, piErrors } from "./errors.ts";
import { LOCATABLE, piVersion } from "./locate.ts";
import { askLogin } from "./login.ts";
import { PiStream } from "./output/stream.ts";
import { CAN, piBackend } from "./pi.ts";
import { agentFolder } from "./sessions/session-place.ts";
import { sessionStore } from "./sessions/session-store.ts";

const installation: Installation = {
  find: (named, env, cwd) => findClient(LOCATABLE, named, env, cwd),
  version: piVersion,
  login: askLogin,
  rootRefusal: null,
  findings: () => Promise.resolve([]),
};

const manual: ManualSessions = {
  reopen: (session) => ["--session", session],
  call: (_session, call, access, _settings, file) => ({
    args: manualArgs(call, file, access),
    env: {},
  }),
};

/** Of the common providers. All of them: `pi --help`. */
const CREDENTIALS: readonly string[] = [
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN", "OPENAI_API_KEY"],
  ...["AZURE_OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY"],
  ...["MISTRAL_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY"],
  "AWS_BEARER_TOKEN_BEDROCK",
];

/** As measured (docs/pi.md, "Permissions"). */
const LEVELS: LevelsOfAgent = {
  "read-only": { may: "read every file of your user, and run no commands", protects: false },
  edit: {
    may: "read, create and change every file of your user, and run no commands",
    protects: false,
  },
  full: { may: "do anything without asking", protects: false },
};

export const pi: CodingAgent = {
  ...PI,
  title: "pi",
  can: CAN,
  levels: LEVELS,
  errors: piErrors,
  installation,
  open: piBackend,
  conversations: ({ env, home }) => sessionStore(env, home),
  written: ({ env, home }) => [path.join(agentFolder(env, home), "sessions")],
  manual,
  project: {
    own: ({ env, home }) => agentFolder(env, home),
    files: [".pi/settings.json", "AGENTS.md", "CLAUDE.md"],
  },
  account: {
    variables: ["PI_CODING_AGENT_DIR", ...CREDENTIALS],
    passed: () => ["PI_CODING_*", "PI_PACKAGE_*", ...CREDENTIALS],
    credentials: CREDENTIALS,
    reserved: [/^PI_(?:CODING_AGENT|PACKAGE)/],
    home: "PI_CODING_AGENT_DIR",
  },
  messagesIn: (output) => messagesIn(output, (sink) => new PiStream(sink, () => false)),
  nestedVariables: [
    ...["AI_AGENT", "PI_CODING_AGENT", "PI_SESSION_ID", "PI_SESSION_FILE"],
    ...["PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"],
  ],
  skillFile: ".pi/skills/raymond/SKILL.md",
};
