import {
  CD,
  DELAY,
  FORK_EFFECTS,
  FRAMES,
  INPUT,
  NEXT,
  ON_ERROR,
  PATH,
  RESET_EFFECTS,
  RETURN,
  TARGET,
  TIMEOUT,
  TIMEOUT_NEXT,
} from "./scan/tag-parts.ts";

/**
 * The declarations of all tags. The scanner, the parser, rules, reminders, the JSON of events,
 * `raymond help tags` and the type `Transition` are derived from this table, and tests compare the
 * tables of the docs with it. The effect of a tag on an agent is in `machine/move/apply-transition.ts`
 * (docs/contributing.md, "Add a tag").
 */
export const TAG_TABLE = {
  goto: {
    content: { ...TARGET, means: "next state" },
    attributes: [INPUT, DELAY],
    takesData: false,
    startsAgent: false,
    effects: [{ who: "", session: "resumes the current one", stack: "kept", folder: "kept" }],
    example: "<goto>B</goto>",
    summary: "B, in the same conversation",
  },
  reset: {
    content: { ...TARGET, means: "next state" },
    attributes: [CD, INPUT, FRAMES, DELAY],
    takesData: false,
    startsAgent: false,
    effects: RESET_EFFECTS,
    example: "<reset>B</reset>",
    summary: "B, in a new conversation; discards the return stack",
  },
  call: {
    content: { ...TARGET, means: "called state" },
    attributes: [RETURN, INPUT],
    takesData: false,
    startsAgent: false,
    effects: [
      {
        who: "",
        session: "branches the caller's, once; then its own",
        stack: "caller pushed",
        folder: "kept",
      },
    ],
    example: '<call return="C">B</call>',
    summary: "B, in a branch of the conversation; its result returns to C",
  },
  function: {
    content: { ...TARGET, means: "called state" },
    attributes: [RETURN, INPUT],
    takesData: false,
    startsAgent: false,
    effects: [{ who: "", session: "fresh", stack: "caller pushed", folder: "kept" }],
    example: '<function return="C">B</function>',
    summary: "B, in a new conversation; its result returns to C",
  },
  fork: {
    content: { ...TARGET, means: "state of the new agent" },
    attributes: [NEXT, CD, INPUT, ON_ERROR],
    takesData: true,
    startsAgent: true,
    effects: FORK_EFFECTS,
    example: '<fork next="C" item="7">B</fork>',
    summary: "C, and a new agent starts at B with {{item}}",
  },
  "call-workflow": {
    content: { ...PATH, means: "called workflow" },
    attributes: [RETURN, INPUT],
    takesData: false,
    startsAgent: false,
    effects: [
      {
        who: "",
        session: "branches the caller's, once; then its own",
        stack: "caller pushed, with its workflow",
        folder: "kept",
      },
    ],
    example: '<call-workflow return="C">../lib</call-workflow>',
    summary: "the workflow lib, in a branch of the conversation",
  },
  "function-workflow": {
    content: { ...PATH, means: "called workflow" },
    attributes: [RETURN, INPUT],
    takesData: false,
    startsAgent: false,
    effects: [
      { who: "", session: "fresh", stack: "caller pushed, with its workflow", folder: "kept" },
    ],
    example: '<function-workflow return="C">../lib</function-workflow>',
    summary: "the workflow lib, in a new conversation; its result returns to C",
  },
  "fork-workflow": {
    content: { ...PATH, means: "workflow of the new agent" },
    attributes: [NEXT, CD, INPUT, ON_ERROR],
    takesData: true,
    startsAgent: true,
    effects: FORK_EFFECTS,
    example: '<fork-workflow next="C">../lib</fork-workflow>',
    summary: "C, and a new agent starts in the workflow lib",
  },
  "reset-workflow": {
    content: { ...PATH, means: "next workflow" },
    attributes: [CD, INPUT, FRAMES, DELAY],
    takesData: false,
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
    takesData: false,
    startsAgent: false,
    effects: [{ who: "", session: "resumes the current one", stack: "kept", folder: "kept" }],
    example: "<join>B</join>",
    summary: "B, with the results of all forked agents when they have ended",
  },
  ask: {
    content: {
      field: "question",
      name: "question",
      holds: "text",
      filled: true,
      required: true,
      open: "your question",
      means: "question",
    },
    attributes: [
      { field: "next", name: "next", holds: "state", required: true, open: "STATE" },
      { field: "options", name: "options", holds: "options", required: false, open: "yes|no" },
      TIMEOUT,
      TIMEOUT_NEXT,
      INPUT,
    ],
    takesData: false,
    startsAgent: false,
    effects: [{ who: "", session: "resumes the current one", stack: "kept", folder: "kept" }],
    example: '<ask next="B">Ship it?</ask>',
    summary: "B, with the answer of a person",
  },
  result: {
    content: {
      field: "payload",
      name: "payload",
      holds: "text",
      required: true,
      open: "your result",
      means: "payload",
    },
    attributes: [],
    takesData: false,
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
  /** Whether other attributes are allowed: data of the agent that the tag starts. */
  readonly takesData: boolean;
  /** Whether it starts an agent. An output may contain many such tags, and at most one other. */
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
   * attribute of a rule is a default, not a condition (docs/protocol.md, "Rules and implied
   * transitions"). A workflow is a path, which a rule always names.
   */
  readonly holds:
    | "state"
    | "workflow"
    | "folder"
    | "text"
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
