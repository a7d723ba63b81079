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
} from "./tag-parts.ts";

/**
 * The tags, one declaration each. The scanner, reading, printing, rules,
 * reminders, the JSON of events, `raymond help tags` and the type `Transition`
 * are made from it, and tests hold the tables of the docs to it. Only what a tag
 * does to an agent is a function: `core/machine/apply-transition.ts`
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
    summary: "B, which remembers nothing; callers are forgotten",
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
    summary: "B, in a branch of the conversation; its result comes back to C",
  },
  function: {
    content: { ...TARGET, means: "called state" },
    attributes: [RETURN, INPUT],
    takesData: false,
    startsAgent: false,
    effects: [{ who: "", session: "fresh", stack: "caller pushed", folder: "kept" }],
    example: '<function return="C">B</function>',
    summary: "B, from nothing; its result comes back to C",
  },
  fork: {
    content: { ...TARGET, means: "state of the new agent" },
    attributes: [NEXT, CD, INPUT, ON_ERROR],
    takesData: true,
    startsAgent: true,
    effects: FORK_EFFECTS,
    example: '<fork next="C" item="7">B</fork>',
    summary: "C goes on, and a new agent starts at B with {{item}}",
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
    summary: "the workflow lib, from nothing; its result comes back to C",
  },
  "fork-workflow": {
    content: { ...PATH, means: "workflow of the new agent" },
    attributes: [NEXT, CD, INPUT, ON_ERROR],
    takesData: true,
    startsAgent: true,
    effects: FORK_EFFECTS,
    example: '<fork-workflow next="C">../lib</fork-workflow>',
    summary: "C goes on, and a new agent starts in the workflow lib",
  },
  "reset-workflow": {
    content: { ...PATH, means: "next workflow" },
    attributes: [CD, INPUT, FRAMES, DELAY],
    takesData: false,
    startsAgent: false,
    effects: RESET_EFFECTS,
    example: "<reset-workflow>../lib</reset-workflow>",
    summary: "the workflow lib for good; callers are forgotten",
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
    summary: "B, when all that A has forked has ended, with their results",
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
    summary: "B, with the answer of a person, however late it comes",
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
  /** What stands between the opening and the closing tag; `means` tells the docs' readers. */
  readonly content: PartDeclaration & { readonly means: string };
  /** Its own attributes, in the order in which they are printed. */
  readonly attributes: readonly PartDeclaration[];
  /** Whether any other attribute may be written: data of the agent that the tag starts. */
  readonly takesData: boolean;
  /**
   * Whether it starts an agent: then it says where its own agent goes by `next`
   * only, and may stand in an output any number of times, beside one other tag.
   */
  readonly startsAgent: boolean;
  /** What it does to each agent that it concerns. */
  readonly effects: readonly Effect[];
  /** How a newcomer meets it in a state A, and what comes next. */
  readonly example: string;
  readonly summary: string;
}

interface PartDeclaration {
  /** The field of the transition, and of a rule where it holds a state. */
  readonly field: string;
  /** As it is called in the tag, in rules and in the JSON of events. */
  readonly name: string;
  /**
   * A content that holds a text is opaque up to the nearest closing tag; any
   * other has no `<`. An attribute that holds a text is what a rule may give,
   * and never asks for (docs/protocol.md, "Rules and implied transitions"). A
   * workflow is a path, and a rule always names it.
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
  /** Of a text: one without a word in it says nothing. */
  readonly filled?: true;
  /** The values of a choice; the first is what goes without saying. */
  readonly choices?: readonly string[];
  /** `alone`: unless another tag of the same output says where its agent goes. */
  readonly required: boolean | "alone";
  /** Another attribute without which it says nothing: both, or neither. */
  readonly with?: string;
  /** What a reminder shows in its place where the rule leaves it open. */
  readonly open: string;
}

/** A row of docs/protocol.md, "What each tag does", in its words. */
interface Effect {
  /** Which agent, or when; empty where there is no choice. */
  readonly who: string;
  readonly session: string;
  readonly stack: string;
  readonly folder: string;
}
