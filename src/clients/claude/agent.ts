import path from "node:path";
import type { LevelsOfAgent } from "../../language/permissions/level-facts.ts";
import type { CodingAgent, Installation, ManualSessions } from "../common/coding-agent.ts";
import { findClient } from "../common/locate-client.ts";
import { messagesIn } from "../common/output/messages-in.ts";
import { clientSwitches, manualSessionArgs } from "./args.ts";
import { CAN, claudeBackend } from "./claude.ts";
import { CLAUDE, claudeErrors } from "./errors.ts";
import { claudeVersion, LOCATABLE } from "./locate.ts";
import { askLogin, askPrintMode, printModeFindings } from "./login.ts";
import { ClientStream } from "./output/stream.ts";
import { clientHome } from "./transcripts/transcript-place.ts";
import { transcriptStore } from "./transcripts/transcript-store.ts";
import { claudeVariables } from "./variables.ts";

const installation: Installation = {
  find: (named, env, cwd) => findClient(LOCATABLE, named, env, cwd),
  version: claudeVersion,
  login: askLogin,
  rootRefusal: claudeErrors["claude/root-without-sandbox"],
  findings: async (path, asker) => printModeFindings(await askPrintMode(path, asker), asker.env),
};

const manual: ManualSessions = {
  reopen: (session) => ["--resume", session],
  call: (session, call, access, settings) => ({
    args: manualSessionArgs(call, session, access),
    env: clientSwitches(settings, false, access),
  }),
};

/** As measured (docs/claude.md, "Permissions"). */
const LEVELS: LevelsOfAgent = {
  "read-only": {
    may: "read files and run commands that only read; changes of files and other commands are denied",
    protects: true,
  },
  edit: {
    may: "read, create, change and delete files below the folder of the run, also with rm, mv, cp, sed -i and redirections, and run read-only git commands; other commands are denied",
    protects: true,
  },
  full: { may: "do anything without asking: permissions are skipped", protects: true },
};

/** Claude Code (docs/claude.md). */
export const claude: CodingAgent = {
  ...CLAUDE,
  title: "Claude Code",
  can: CAN,
  levels: LEVELS,
  errors: claudeErrors,
  installation,
  open: claudeBackend,
  conversations: ({ env, home }) => transcriptStore(env, home),
  written: ({ env, home }) => [path.join(clientHome(env, home), "projects")],
  manual,
  project: {
    own: ({ env, home }) => clientHome(env, home),
    files: [".mcp.json", ".claude/settings.json", ".claude/settings.local.json", "CLAUDE.md"],
  },
  account: {
    variables: [
      ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"],
      ...["ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"],
      ...["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "AWS_BEARER_TOKEN_BEDROCK"],
    ],
    passed: claudeVariables,
    credentials: [
      ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
      ...["ANTHROPIC_FOUNDRY_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
      ...["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    ],
    reserved: [/^ANTHROPIC_/, /^CLAUDE_/],
    home: "CLAUDE_CONFIG_DIR",
  },
  messagesIn: (output) => messagesIn(output, (sink) => new ClientStream(sink)),
  nestedVariables: ["CLAUDECODE"],
  skillFile: ".claude/skills/raymond/SKILL.md",
};
