import { createHash } from "node:crypto";
import type { FakeScript } from "../fixtures/fake-client.ts";

/*
 * The workflow of the golden state files, and the points at which raymond is stopped in it.
 * `write.ts` writes the files, tests/chaos/golden.test.ts resumes them.
 */

/** Longer than INLINE_BYTES: stored in a payload file. */
const LONG = "x".repeat(70_000);

/** The entry of the ended worker in the `forked` list of its parent. */
const ENDED = JSON.stringify([
  {
    ...{ agent: "main_worker1", state: "WORKER.md", attributes: { item: "seven" } },
    end: { how: "well", result: LONG },
  },
]);

/** Payload files, by name. */
export const PAYLOADS: Readonly<Record<string, string>> = Object.fromEntries(
  [LONG, ENDED].map((text) => [`${createHash("sha256").update(text).digest("hex")}.txt`, text]),
);

const LONG_RESULT = `echo "<result>$(head -c 70000 /dev/zero | tr '\\0' x)</result>"`;

/** A fork, a stack of two calls, results of all kinds. The files `hold` and `broken` stop it. */
export const WORKFLOW: Readonly<Record<string, string>> = {
  "START.md": "golden START: {{result}}",
  "CALLER.md": "golden CALLER",
  "INNER.md": "golden INNER",
  "CHECK.md":
    "---\nallowed_transitions: [{ tag: goto, target: DEEP.sh }, { tag: result }]\n---\ngolden CHECK",
  "DEEP.sh":
    '[ -e hold ] && exec sleep 60\n[ -e broken ] && exit 3\necho "<result>deep</result>"\n',
  "BACK.md": "golden BACK: {{result}}",
  "FINISH.sh": 'echo "<result>golden done</result>"\n',
  "WORKER.md": "golden WORKER {{item}}",
  "WORKED.sh": `[ -e broken-worker ] && exit 3\n${LONG_RESULT}\n`,
  // Further entry states: waits, and a gate.
  "JOINING.sh":
    'echo "<fork on_error=\\"report\\" item=\\"seven\\">HELD</fork><join>FINISH</join>"\n',
  "DELAYING.sh": 'echo "<goto delay=\\"1h\\">FINISH</goto>"\n',
  "ASKING.sh":
    'echo "<ask next=\\"FINISH\\" timeout=\\"1h\\" timeout_next=\\"FINISH\\">Continue?</ask>"\n',
  "GATED.md":
    "---\nallowed_transitions: [{ tag: goto, target: FINISH, verify: HELD }]\n---\ngolden GATED",
  "HELD.sh": '[ -e hold ] && exec sleep 60\necho "<result>held</result>"\n',
  "golden.sim.yaml": `states:
  START: [{ reply: '<fork next="CALLER" item="seven">WORKER</fork>', cost: 0.5 }]
  CALLER: [{ reply: '<call return="BACK">INNER</call>' }]
  INNER: [{ reply: '<function return="DEEP">CHECK</function>' }]
  CHECK: [{ reply: "<result>checked</result>", times: always }]
  BACK: [{ reply: "<reset>FINISH</reset>" }]
  WORKER: [{ reply: "<goto>WORKED</goto>", times: always }]
`,
};

/** The same workflow as a single file. */
export const ONE_FILE: string = `states:\n${Object.entries(WORKFLOW)
  .flatMap(([name, text]) => {
    const [, stem = "", kind] = /^(\w+)\.(md|sh)$/.exec(name) ?? [];
    const [, matter = "", body = text] = /^---\n(.*\n)---\n(.*)$/s.exec(text) ?? [];
    const keys = matter === "" ? "" : `    ${matter}`;
    const content = `    ${kind === "md" ? "prompt" : "sh"}: ${JSON.stringify(body)}\n`;
    return kind === undefined ? [] : [`  ${stem}:\n${keys}${content}`];
  })
  .join("")}`;

type Reply = NonNullable<FakeScript["replies"]>[number];

const always = (match: string, say: string): Reply => ({ match, say, times: "always" });

/** Replies of the client, by state. */
export const REPLIES: readonly Reply[] = [
  always("golden START", '<fork next="CALLER" item="seven">WORKER</fork>'),
  always("golden CALLER", '<call return="BACK">INNER</call>'),
  always("golden INNER", '<function return="DEEP">CHECK</function>'),
  always("golden CHECK", `<result>${LONG}</result>`),
  always("golden BACK", "<reset>FINISH</reset>"),
  always("golden GATED", "<goto>FINISH</goto>"),
  always("golden WORKER", "<goto>WORKED</goto>"),
  // Prompts after an interruption, and reminders, are for CHECK.
  { say: `<result>${LONG}</result>`, times: "always" },
];

/** A point at which raymond is stopped. */
export interface Stop {
  readonly name: string;
  readonly words?: readonly string[];
  /** Replies before those of {@link REPLIES}. */
  readonly first?: readonly Reply[];
  /** Files that stop the workflow. */
  readonly files?: readonly string[];
  /** Matches the state file when the signal is to be sent. Absent: raymond ends without a signal. */
  readonly when?: RegExp;
  readonly signal?: NodeJS.Signals;
  readonly kind?: "simulation" | "zip" | "file";
  /** Status in the state file. */
  readonly status: string;
  /** Additional options of `--resume`. */
  readonly resume?: readonly string[];
}

const inCheck = (reply: Reply): readonly Reply[] => [{ match: "golden CHECK", ...reply }];
const checking = (rest: string) => new RegExp(`"current_state": "CHECK.md"[\\s\\S]*${rest}`);
const DEEP = /"current_state": "DEEP.sh"[\s\S]*"type": "running"[\s\S]*"main_wor\w*1": \{\s*"file"/;

export const STOPS: readonly Stop[] = [
  { name: "killed-in-script", files: ["hold"], when: DEEP, signal: "SIGKILL", status: "running" },
  {
    name: "killed-in-prompt",
    first: inCheck({ do: "hang-in-tool", tools: [{ name: "Bash" }], before: "working" }),
    when: checking('"accepted": true'),
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-before-accept",
    first: inCheck({ do: "hang-before-init" }),
    when: checking('"accepted": false'),
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-in-reminder",
    first: [
      { match: "golden CHECK", say: "no tag" },
      { match: "Your last message did not", do: "hang-before-init" },
    ],
    when: /"reminders": 1[\s\S]*"type": "running"/,
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-in-limit",
    first: inCheck({ do: "limit", resetsAt: 4_000_000_000 }),
    when: /"status": "waiting"/,
    signal: "SIGKILL",
    status: "waiting",
  },
  {
    name: "killed-in-outage",
    first: inCheck({ do: "overload", times: "always" }),
    when: /"status": "waiting"[\s\S]*"outage": \{/,
    signal: "SIGKILL",
    status: "waiting",
  },
  {
    name: "killed-in-simulation",
    kind: "simulation",
    files: ["hold"],
    when: DEEP,
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-in-zip",
    kind: "zip",
    files: ["hold"],
    when: DEEP,
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-in-one-file",
    kind: "file",
    files: ["hold"],
    when: DEEP,
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-in-join",
    words: ["--start", "JOINING"],
    files: ["hold"],
    when: /"kind": "join"[\s\S]*"type": "running"/,
    signal: "SIGKILL",
    status: "running",
  },
  {
    name: "killed-in-delay",
    words: ["--start", "DELAYING"],
    when: /"kind": "delay"/,
    signal: "SIGKILL",
    status: "waiting",
  },
  {
    name: "killed-in-gate",
    words: ["--start", "GATED"],
    files: ["hold"],
    when: /"gate": \{[\s\S]*"kind": "script"/,
    signal: "SIGKILL",
    status: "running",
  },
  { name: "paused-by-question", words: ["--start", "ASKING"], status: "paused" },
  { name: "interrupted", files: ["hold"], when: DEEP, signal: "SIGINT", status: "interrupted" },
  {
    name: "paused-by-limit",
    words: ["--no-wait"],
    first: inCheck({ do: "limit", resetsAt: 4_000_000_000 }),
    status: "paused",
  },
  {
    name: "paused-by-steps",
    words: ["--max-steps", "3"],
    status: "paused",
    resume: ["--max-steps", "100"],
  },
  {
    name: "over-budget",
    first: inCheck({ say: "<result>dear</result>", cost: 20 }),
    status: "budget_exceeded",
    resume: ["--add-budget", "100"],
  },
  { name: "failed", files: ["broken"], status: "failed" },
  { name: "failed-worker", words: ["--keep-going"], files: ["broken-worker"], status: "failed" },
  { name: "completed", status: "completed" },
];

/** The stops of the golden files of each version of the state file. */
export const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  v1: STOPS.map(({ name }) => name),
};
