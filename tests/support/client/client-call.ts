import { spawn } from "node:child_process";
import { z } from "zod";
import type { Project } from "../project.ts";
import { type ClientVersion, clientPath } from "./clients.ts";
import type { MessagesApi } from "./messages-api.ts";

/** An event of the client output. */
export type ClientEvent = z.infer<typeof eventSchema>;

export interface ClientEnd {
  readonly exitCode: number | null;
  readonly events: readonly ClientEvent[];
  /** The last `result` event. */
  readonly result: ClientEvent | undefined;
  readonly stderr: string;
}

export interface ClientCall {
  readonly project: Project;
  readonly client: ClientVersion;
  readonly api: MessagesApi;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A client process without raymond. */
export interface RunningClient {
  readonly exit: Promise<ClientEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** Costs $3 and $15 per million tokens in all client versions. */
export const MODEL = "claude-sonnet-4-5";

/** Runs the client with one prompt, as raymond does, to its end. */
export function callClient(prompt: string, call: ClientCall): Promise<ClientEnd> {
  return startClient(prompt, call).exit;
}

/** Starts the client with one prompt, as raymond does. */
export function startClient(prompt: string, call: ClientCall): RunningClient {
  const child = spawn(
    clientPath(call.client),
    [...ALWAYS, "--model", MODEL, ...(call.args ?? [])],
    {
      cwd: call.project.dir,
      env: {
        ...call.project.env,
        ANTHROPIC_BASE_URL: call.api.url,
        ANTHROPIC_API_KEY: "test",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_MAX_RETRIES: "0",
        DISABLE_AUTOUPDATER: "1",
        ...call.env,
      },
    },
  );
  child.stdin.on("error", () => {
    // A client that rejects its arguments does not read its input.
  });
  child.stdin.end(prompt);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const exit = new Promise<ClientEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      const lines = Buffer.concat(out)
        .toString()
        .split("\n")
        .filter((line) => line !== "");
      const events = lines.map((line) => eventSchema.parse(JSON.parse(line)));
      const result = events.findLast((event) => event.type === "result");
      resolve({ exitCode, events, result, stderr: Buffer.concat(err).toString() });
    });
  });
  return { exit, kill: (signal) => void child.kill(signal) };
}

const ALWAYS = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];

const eventSchema = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  is_error: z.boolean().optional(),
  result: z.string().optional(),
  total_cost_usd: z.number().optional(),
  errors: z.array(z.string()).optional(),
  terminal_reason: z.string().optional(),
  permission_denials: z.array(z.unknown()).optional(),
  claude_code_version: z.string().optional(),
  rate_limit_info: z.looseObject({ status: z.string(), resetsAt: z.number() }).optional(),
});
