/** Parts that several tags share. */
const REQUIRED = { required: true } as const;
const OPTIONAL = { required: false } as const;
const STATE = { holds: "state", open: "STATE" } as const;
const TARGET = { ...STATE, ...REQUIRED, field: "target", name: "target" } as const;
const RETURN = { ...STATE, ...REQUIRED, field: "returnTo", name: "return" } as const;
const NEXT = { ...STATE, field: "next", name: "next", required: "alone" } as const;
const PATH = {
  ...REQUIRED,
  field: "path",
  name: "target",
  holds: "workflow",
  open: "PATH",
} as const;
const CD = { ...OPTIONAL, field: "cd", name: "cd", holds: "folder", open: "FOLDER" } as const;
const INPUT = { ...OPTIONAL, field: "input", name: "input", holds: "text", open: "TEXT" } as const;
const DURATION = { ...OPTIONAL, holds: "duration" } as const;
const DELAY = { ...DURATION, field: "delay", name: "delay", open: "5m" } as const;
const CHOICE = { ...OPTIONAL, holds: "choice" } as const;
const FRAMES = {
  ...CHOICE,
  field: "frames",
  name: "frames",
  choices: ["drop", "keep"],
  open: "keep",
} as const;
const ON_ERROR = {
  ...CHOICE,
  field: "onError",
  name: "on_error",
  choices: ["stop", "report"],
  open: "report",
} as const;
const WORKTREE = {
  ...OPTIONAL,
  field: "worktree",
  name: "worktree",
  holds: "worktree",
  open: "true",
} as const;
const TIMEOUT = {
  ...DURATION,
  field: "timeout",
  name: "timeout",
  open: "2h",
  with: "timeout_next",
} as const;
const TIMEOUT_NEXT = {
  ...STATE,
  ...OPTIONAL,
  field: "timeoutNext",
  name: "timeout_next",
  with: "timeout",
} as const;
const QUESTION = { ...REQUIRED, field: "question", name: "question", holds: "text" } as const;
const PAYLOAD = { ...REQUIRED, field: "payload", name: "payload", holds: "text" } as const;

/** Effects that several tags share. */
const KEPT = { stack: "kept", folder: "kept" } as const;
const SAME_SESSION = [{ ...KEPT, who: "", session: "resumes the current one" }] as const;
const RESET_EFFECTS = [
  { who: "", session: "fresh", stack: "cleared; kept by `frames`", folder: "`cd`, else kept" },
] as const;
const FORK_EFFECTS = [
  { ...SAME_SESSION[0], who: "the parent, at `next`" },
  { who: "the worker", session: "fresh", stack: "empty", folder: "`cd`, else the launch folder" },
] as const;
const BRANCH = "branches the caller's, once; then its own";

/**
 * The declarations of all tags. The scanner, the parser, rules, reminders, the JSON of events,
 * `raymond help tags` and the type `Transition` are derived from this table, and tests compare the
 * tables of the docs with it. The effect of a tag on an agent is in `machine/moves/apply-transition.ts`
 * (docs/contributing.md, "Add a tag").
 */
export const TAG_TABLE = {
  goto: {
    content: { ...TARGET, means: "next state" },
    attributes: [INPUT, DELAY],
    startsAgent: false,
    effects: SAME_SESSION,
    example: "<goto>B</goto>",
    summary: "B, in the same conversation",
  },
  reset: {
    content: { ...TARGET, means: "next state" },
    attributes: [CD, INPUT, FRAMES, DELAY],
    startsAgent: false,
    effects: RESET_EFFECTS,
    example: "<reset>B</reset>",
    summary: "B, in a new conversation; discards the return stack",
  },
  call: {
    content: { ...TARGET, means: "called state" },
    attributes: [RETURN, INPUT],
    startsAgent: false,
    effects: [{ who: "", session: BRANCH, stack: "caller pushed", folder: "kept" }],
    example: '<call return="C">B</call>',
    summary: "B, in a branch of the conversation; its result returns to C",
  },
  function: {
    content: { ...TARGET, means: "called state" },
    attributes: [RETURN, INPUT],
    startsAgent: false,
    effects: [{ who: "", session: "fresh", stack: "caller pushed", folder: "kept" }],
    example: '<function return="C">B</function>',
    summary: "B, in a new conversation; its result returns to C",
  },
  fork: {
    content: { ...TARGET, means: "state of the new agent" },
    attributes: [NEXT, CD, INPUT, ON_ERROR, WORKTREE],
    startsAgent: true,
    effects: FORK_EFFECTS,
    example: '<fork next="C" item="7">B</fork>',
    summary: "C, and a new agent starts at B with {{item}}",
  },
  "call-workflow": {
    content: { ...PATH, means: "called workflow" },
    attributes: [RETURN, INPUT],
    startsAgent: false,
    effects: [
      { who: "", session: BRANCH, stack: "caller pushed, with its workflow", folder: "kept" },
    ],
    example: '<call-workflow return="C">../lib</call-workflow>',
    summary: "the workflow lib, in a branch of the conversation",
  },
  "function-workflow": {
    content: { ...PATH, means: "called workflow" },
    attributes: [RETURN, INPUT],
    startsAgent: false,
    effects: [
      { who: "", session: "fresh", stack: "caller pushed, with its workflow", folder: "kept" },
    ],
    example: '<function-workflow return="C">../lib</function-workflow>',
    summary: "the workflow lib, in a new conversation; its result returns to C",
  },
  "fork-workflow": {
    content: { ...PATH, means: "workflow of the new agent" },
    attributes: [NEXT, CD, INPUT, ON_ERROR, WORKTREE],
    startsAgent: true,
    effects: FORK_EFFECTS,
    example: '<fork-workflow next="C">../lib</fork-workflow>',
    summary: "C, and a new agent starts in the workflow lib",
  },
  "reset-workflow": {
    content: { ...PATH, means: "next workflow" },
    attributes: [CD, INPUT, FRAMES, DELAY],
    startsAgent: false,
    effects: RESET_EFFECTS,
    example: "<reset-workflow>../lib</reset-workflow>",
    summary: "the workflow lib, in a new conversation; discards the return stack",
  },
  join: {
    content: { ...TARGET, means: "next state" },
    attributes: [
      { field: "min", name: "min", holds: "count", required: false, open: "1" },
      TIMEOUT,
      TIMEOUT_NEXT,
    ],
    startsAgent: false,
    effects: SAME_SESSION,
    example: "<join>B</join>",
    summary: "B, with the results of all forked agents when they have ended",
  },
  ask: {
    content: { ...QUESTION, filled: true, open: "your question", means: "question" },
    attributes: [
      { ...NEXT, required: true },
      { field: "options", name: "options", holds: "options", required: false, open: "yes|no" },
      TIMEOUT,
      TIMEOUT_NEXT,
      INPUT,
    ],
    startsAgent: false,
    effects: SAME_SESSION,
    example: '<ask next="B">Ship it?</ask>',
    summary: "B, with the answer of a person",
  },
  result: {
    content: { ...PAYLOAD, open: "your result", means: "payload" },
    attributes: [],
    startsAgent: false,
    effects: [
      {
        who: "a frame on the stack",
        session: "resumes the frame's, at its return state",
        stack: "popped",
        folder: "kept",
      },
      { who: "stack empty", session: "the agent ends with this result", stack: "", folder: "" },
    ],
    example: "<result>text</result>",
    summary: "back to the caller, or the end of the agent",
  },
} as const satisfies Readonly<Record<string, TagDeclaration>>;

interface TagDeclaration {
  /** `means`: the description in docs/protocol.md. */
  readonly content: PartDeclaration & { readonly means: string };
  /** In the order in which they are printed. */
  readonly attributes: readonly PartDeclaration[];
  /**
   * Whether it starts an agent. An output may contain many such tags, and at most one other. Such a
   * tag may have other attributes: data of the agent.
   */
  readonly startsAgent: boolean;
  /** Its effect on each agent involved. */
  readonly effects: readonly Effect[];
  /** An example in a state A, and what comes next. */
  readonly example: string;
  readonly summary: string;
}

interface PartDeclaration {
  /** The field of the transition, and of a rule where it holds a state. */
  readonly field: string;
  /** The name in the tag, in rules and in the JSON of events. */
  readonly name: string;
  /**
   * Text content extends to the nearest closing tag; other content must not contain `<`. A text
   * attribute or worktree of a rule is a default, not a condition (docs/protocol.md, "Rules and
   * implied transitions"). A workflow is a path, which a rule always names.
   */
  readonly holds:
    | "state"
    | "workflow"
    | "folder"
    | "text"
    | "worktree"
    | "choice"
    | "duration"
    | "count"
    | "options";
  /** A text that must not be blank. */
  readonly filled?: true;
  /** The values of a choice; the first is the default. */
  readonly choices?: readonly string[];
  /** `alone`: required unless another tag of the same output continues the agent. */
  readonly required: boolean | "alone";
  /** Another attribute that it requires. */
  readonly with?: string;
  /** The placeholder in a reminder if the rule leaves the part open. */
  readonly open: string;
}

/** A row of the table in docs/protocol.md, "Effects of tags". */
interface Effect {
  /** Which agent, or when; empty if there is only one case. */
  readonly who: string;
  readonly session: string;
  readonly stack: string;
  readonly folder: string;
}
