import path from "node:path";
import type { CodingAgent, Installation, ManualSessions } from "../common/coding-agent.ts";
import { findClient } from "../common/locate-client.ts";
import { manualArgs } from "./args.ts";
import { PI, piErrors } from "./errors.ts";
import { LOCATABLE, piVersion } from "./locate.ts";
import { askLogin } from "./login.ts";
import { messagesIn } from "./output/messages-in.ts";
import { CAN, piBackend } from "./pi.ts";
import { readProjectSettings } from "./project/project-settings.ts";
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

/** pi (docs/pi.md). */
export const pi: CodingAgent = {
  ...PI,
  title: "pi",
  can: CAN,
  errors: piErrors,
  installation,
  open: piBackend,
  conversations: ({ env, home }) => sessionStore(env, home),
  written: ({ env, home }) => [path.join(agentFolder(env, home), "sessions")],
  manual,
  project: {
    read: (cwd) => readProjectSettings(cwd),
    files: [".pi/settings.json", "AGENTS.md", "CLAUDE.md"],
  },
  account: {
    // Of the common providers. All of them: pi --help.
    variables: [
      ...["PI_CODING_AGENT_DIR", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
      ...["ANTHROPIC_OAUTH_TOKEN", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "GEMINI_API_KEY"],
      ...["OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY"],
      ...["XAI_API_KEY", "DEEPSEEK_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
    ],
    reserved: [/^PI_(?:CODING_AGENT|PACKAGE)/],
    home: "PI_CODING_AGENT_DIR",
  },
  messagesIn,
  nestedVariables: [
    ...["AI_AGENT", "PI_CODING_AGENT", "PI_SESSION_ID", "PI_SESSION_FILE"],
    ...["PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"],
  ],
  skillFile: ".pi/skills/raymond/SKILL.md",
};
