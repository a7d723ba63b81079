import type {
  ProcessCall,
  ProcessEnd,
  RunningProcess,
} from "../../../../src/engine/ports/process.ts";

/** How an attempt ends. */
export type End =
  | { readonly kind: "says"; readonly text: string }
  /** A script: by its exit code. A client: by an API error. */
  | { readonly kind: "fails" }
  /** Killed. `early`: before the client has accepted the prompt. */
  | { readonly kind: "dies"; readonly early: boolean }
  | { readonly kind: "meets"; readonly what: "overload" | "limit" };

/** A script or client that has started, and waits until the test lets it proceed. */
export class Attempt {
  readonly agent: string;
  readonly state: string;
  readonly running: RunningProcess;
  readonly #call: ProcessCall;
  #hasPrompt = false;
  #resolve: (end: ProcessEnd) => void = () => undefined;

  constructor(call: ProcessCall, agent: string, state: string, over: () => void) {
    this.#call = call;
    this.agent = agent;
    this.state = state;
    const { interrupt, kill } = call.cancellation;
    const end = () => {
      this.#resolve({ ...ENDED, exitCode: null, signal: "SIGTERM", endedByRaymond: true });
    };
    const done = new Promise<ProcessEnd>((resolve) => (this.#resolve = resolve)).finally(() => {
      for (const signal of [interrupt, kill]) signal.removeEventListener("abort", end);
      over();
    });
    this.running = { done, end };
    for (const signal of [interrupt, kill]) signal.addEventListener("abort", end);
    if (interrupt.aborted || kill.aborted) end();
    call.onStart?.(1);
  }

  /**
   * Ends a script. A client accepts its prompt at the first call, and ends at the second, so that the run saves
   * each report separately. Returns whether the attempt has ended.
   */
  proceed(end: End, now: number): boolean {
    if (this.#isClient && !this.#hasPrompt && !isEarly(end)) {
      this.#hasPrompt = true;
      this.#emit(this.#init(), { type: "stream_event", event: STARTED, ...this.#where() });
      return false;
    }
    if (this.#isClient) this.#endClient(end, now);
    else this.#endScript(end);
    return true;
  }

  get #isClient(): boolean {
    return this.#call.env["RAYMOND_STATE_FILE"] === undefined;
  }

  #endScript(end: End): void {
    if (end.kind === "says") {
      this.#call.onStdout(Buffer.from(`${end.text}\n`));
      this.#resolve({ ...ENDED, exitCode: 0 });
    } else if (end.kind === "dies") {
      this.#resolve({ ...ENDED, exitCode: null, signal: "SIGKILL" });
    } else {
      this.#call.onStderr(Buffer.from("no\n"));
      this.#resolve({ ...ENDED, exitCode: 3 });
    }
  }

  #endClient(end: End, now: number): void {
    switch (end.kind) {
      case "dies":
        this.#resolve({ ...ENDED, exitCode: null, signal: "SIGKILL" });
        return;
      case "says":
        this.#emit(
          { type: "assistant", message: { model: MODEL, content: [words(end.text)] } },
          { ...RESULT, result: end.text, total_cost_usd: 0.01, usage: usage(1_000, 100) },
        );
        this.#resolve({ ...ENDED, exitCode: 0 });
        return;
      case "fails":
        this.#refuse(400, "unknown", "API Error: 400 bad request");
        return;
      case "meets":
        if (end.what === "overload") {
          this.#refuse(529, "server_error", "API Error: 529 Overloaded");
          return;
        }
        this.#emit({
          type: "rate_limit_event",
          rate_limit_info: {
            ...{ status: "rejected", rateLimitType: "five_hour" },
            resetsAt: Math.ceil(now / 1000) + 20,
          },
        });
        this.#refuse(429, "rate_limit", "You've hit your 5-hour limit");
    }
  }

  #refuse(status: number, code: string, text: string): void {
    this.#emit(
      {
        type: "assistant",
        message: { model: "<synthetic>", content: [words(text)] },
        error: code,
      },
      {
        ...{ ...RESULT, is_error: true, api_error_status: status, result: text },
        ...{ total_cost_usd: 0, usage: usage(0, 0) },
      },
    );
    this.#resolve({ ...ENDED, exitCode: 1 });
  }

  #init(): object {
    const version = "2.1.197";
    return {
      type: "system",
      subtype: "init",
      tools: [],
      model: MODEL,
      claude_code_version: version,
    };
  }

  #where(): object {
    const { args } = this.#call;
    const option = (name: string) => args[args.indexOf(name) + 1];
    const fresh = args.includes("--session-id");
    return {
      parent_tool_use_id: null,
      session_id: option(fresh ? "--session-id" : "--resume"),
    };
  }

  #emit(...events: readonly object[]): void {
    for (const event of events) {
      const line = JSON.stringify({ ...this.#where(), ...event });
      this.#call.onStdout(Buffer.from(`${line}\n`));
    }
  }
}

/** The output of a client check: its version, and that a user is logged in; null for other calls. */
export function askedOfClient(call: ProcessCall): RunningProcess | null {
  const answers: Readonly<Record<string, string>> = {
    "--version": "2.1.197 (Claude Code)",
    auth: JSON.stringify({ loggedIn: true, authMethod: "api_key", apiProvider: "firstParty" }),
  };
  const answer = answers[call.args[0] ?? ""];
  if (answer === undefined) return null;
  call.onStdout(Buffer.from(`${answer}\n`));
  return { done: Promise.resolve({ ...ENDED, exitCode: 0 }), end: () => undefined };
}

function isEarly(end: End): boolean {
  return end.kind === "dies" && end.early;
}

const MODEL = "claude-sonnet-4-5";

const ENDED = {
  ...{ signal: null, spawnError: null, endedByRaymond: false, durationMs: 0, leftOpen: false },
} as const;

const RESULT = {
  ...{ type: "result", subtype: "success", is_error: false, api_error_status: null },
  ...{ num_turns: 1, permission_denials: [], terminal_reason: "completed" },
};

const STARTED = { type: "message_start", message: { usage: usage(1_000, 1) } };
function words(text: string): object {
  return { type: "text", text };
}

function usage(input: number, output: number): object {
  return {
    ...{ input_tokens: input, output_tokens: output },
    ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
}
