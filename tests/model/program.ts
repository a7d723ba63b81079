import fc from "fast-check";
import type { Advanced, Moment, State } from "./moment.ts";
import { anyLine, CROSSED, type Line, print } from "./program-line.ts";

/** One state of a random workflow. */
export interface ProgramState extends State {
  /** The text of its file. */
  readonly text: string;
  /** What its steps say, in turn; `!` in front: it fails. `%` becomes what the step was given. */
  readonly lines: readonly string[];
  /** Its coding agents, preferred ones first; null: it names none. */
  readonly agents: readonly string[] | null;
}

/** A random workflow, and all that its steps will ever say. */
export interface Program {
  readonly states: readonly ProgramState[];
  /** After so many steps `main` only returns; its workers after half as many, and so on. */
  readonly fuel: number;
  readonly input: string | null;
  readonly attributes: Readonly<Record<string, string>>;
}

export const LAUNCH = "/repo";
/** The folder of the workflow that is started, and of the other one; both lie in the launch folder. */
export const HOME = "workflow";
const OTHER = "lib";

/** Tokens of each prompt and its reply, and what the model can hold. */
export const PROMPT_TOKENS = 1_000;
export const WINDOW = 8_000;

/** Where the first agent begins. */
export function programStart({ states, input, attributes }: Program) {
  return { state: states[0]?.name ?? "", pending: input, attributes };
}

/** The output of a step. Does not depend on repetition or concurrent steps. */
export function respond({ states, fuel }: Program, moment: Moment): Advanced {
  const { agent, n, state, attributes } = moment;
  const generation = agent.split("_").length - 1;
  const here = states.find(({ name }) => name === state);
  const line = here?.lines[(n + generation) % here.lines.length] ?? "";
  if (here?.implied !== null) return { said: line };
  const given = `${moment.pending ?? "-"} ${JSON.stringify(attributes)}`;
  const known = given.replaceAll(/[^\w ,:]/g, "").slice(-60);
  if (n >= fuel / 2 ** generation) return { said: `<result>${known}</result>` };
  if (line.startsWith("!")) return { failed: `${line} ${agent} ${String(n)}` };
  const said = line.replaceAll("%", known);
  if (generation < 2 || !said.includes("<fork")) return { said };
  const rest = said.replaceAll(FORK, "");
  const [, next = ""] = /next\s*=\s*["']([^"']*)["']/.exec(said) ?? [];
  // With its forks a join has lost the workers that it may ask for.
  const way = rest.replace(/ min\s*=\s*["']\d["']/, "");
  return { said: way.includes("</") ? way : `<goto>${next}</goto>` };
}

const FORK = /<fork(?:-workflow)?(?:[^>"']|"[^"]*"|'[^']*')*>[^<]*<\/fork(?:-workflow)?>/g;

const STEMS = ["1_START", "STEP1", "a", "Review.x", "WORKER-two", "__"] as const;

interface Draft {
  readonly prompt: boolean;
  readonly rules: "none" | "any" | "implied" | "closed" | "gated";
  readonly limits: string;
  /** Of a conversation, where `limits` says so. */
  readonly most: string;
  readonly retries: number;
  readonly fails: boolean;
  readonly lines: readonly Line[];
  /** Both, so that each state can continue any conversation. */
  readonly agents: readonly string[] | null;
}

const anyDraft: fc.Arbitrary<Draft> = fc.record({
  prompt: fc.boolean(),
  rules: fc.constantFrom("none", "none", "any", "any", "implied", "closed", "gated"),
  limits: fc.constantFrom("", "", "max_visits=3", "budget=0.05", "max_context", "max_context"),
  most: fc.constantFrom("1k", "20%"),
  retries: fc.nat({ max: 2 }),
  fails: fc.constantFrom(false, false, true),
  lines: fc.array(anyLine, { minLength: 1, maxLength: 3 }),
  agents: fc.constantFrom(null, null, ["claude", "codex"], ["codex", "claude"]),
});

/** Any workflow whose agents all end, were it not for mishaps. */
export const anyProgram: fc.Arbitrary<Program> = fc
  .record({
    drafts: fc.array(anyDraft, { minLength: 1, maxLength: 4 }),
    others: fc.array(anyDraft, { maxLength: 2 }),
    fuel: fc.nat({ max: 4 }),
    input: fc.option(fc.constantFrom("", "in put")),
    attributes: fc.dictionary(fc.constantFrom("mine", "item"), fc.constantFrom("", "v"), {
      noNullPrototype: true,
    }),
  })
  .map(({ drafts, others, ...rest }) => {
    const home = { folder: HOME, before: "", drafts };
    const other = { folder: OTHER, before: `${OTHER}/`, drafts: others };
    const target = (line: Line) => (line.crosses === "other" && others.length > 0 ? other : home);
    const states = [home, other].flatMap((workflow) =>
      workflow.drafts.map((draft, index) => {
        const state = write(draft, index, workflow.drafts, (line) => pathOf(line, target(line)));
        return { ...state, name: workflow.before + state.name };
      }),
    );
    return { ...rest, states };
  });

/** The states of one workflow, and where it lies. */
interface Group {
  readonly folder: string;
  /** What stands before the names of its states. */
  readonly before: string;
  readonly drafts: readonly Draft[];
}

/** How a line names a state of this workflow by its path; the first of them is the entry. */
function pathOf({ to, explicit }: Line, { folder, drafts }: Group): string {
  const index = to % drafts.length;
  const name = STEMS[index] ?? STEMS[0];
  if (index === 0 && !explicit) return `../${folder}`;
  return `../${folder}/${name}${explicit ? endingOf(drafts[index]) : ""}`;
}

function endingOf(draft: Draft | undefined): string {
  return draft?.prompt === true ? ".md" : ".sh";
}

function write(
  draft: Draft,
  index: number,
  all: readonly Draft[],
  path: (line: Line) => string,
): ProgramState {
  const stem = (n: number) => STEMS[n % all.length] ?? STEMS[0];
  const file = (n: number) => `${stem(n)}${endingOf(all[n % all.length])}`;
  const name = file(index);
  if (draft.rules === "implied" && index > 0 && draft.prompt) {
    const tag = `<goto>${stem(0)}</goto>`;
    const text = `---\nallowed_transitions:\n  - { tag: goto, target: ${stem(0)}, input: "${GIVEN}" }\n---\nDo it.`;
    return { ...plain, name, implied: tag, gives: GIVEN, text, lines: ["No tag.", tag] };
  }
  if (draft.rules === "closed" && draft.prompt) {
    const tag = "<result>DONE</result>";
    const text = "---\nallowed_transitions:\n  - { tag: result, payload: DONE }\n---\nDo it.";
    const lines = ["No tag.", tag, "<result>\n DONE </result>"];
    return { ...plain, name, implied: tag, answer: "DONE", text, lines };
  }
  const ruled = draft.rules === "any" || draft.rules === "gated";
  // Without rules no prompt may enter another workflow.
  const free = !draft.prompt || ruled;
  const crossing = (line: Line) => (free && CROSSED.has(line.tag) ? line.crosses : null);
  const lines = draft.lines.map((line) =>
    print({ ...line, crosses: crossing(line) }, stem, file, path(line)),
  );
  if (draft.prompt) {
    const entering = draft.lines
      .filter((line) => crossing(line) !== null)
      .map((line) => `{ tag: ${line.tag}-workflow, target: ${path(line)} }`);
    const every = [ANY_TAG, ...new Set(entering)].join(", ");
    const any = draft.rules === "gated" ? every.replaceAll(" }", GATED) : every;
    const rules = ruled ? `allowed_transitions: [${any}]\n` : "";
    const other = index + 1;
    const full = draft.limits === "max_context";
    // A state whose only transition is implied would loop forever.
    const silent = all[other % all.length]?.rules === "implied";
    const large = full && all.length > 1 && !silent;
    const limits = large
      ? `max_context: ${draft.most}\non_context: ${stem(other)}`
      : full
        ? ""
        : draft.limits.replace("=", ": ");
    const onContext = large ? stem(other) : null;
    const { agents } = draft;
    const named = agents === null ? "" : `agent: [${agents.join(", ")}]\n`;
    const keys = named + rules + limits;
    const head = keys === "" ? "" : `---\n${keys}\n---\n`;
    const gives = ruled ? GIVEN : null;
    return { ...plain, name, gives, onContext, agents, text: `${head}Do it.`, lines };
  }
  const onError = draft.fails ? file(draft.lines[0]?.back ?? 0) : null;
  const limits = draft.limits.startsWith("max_visits") ? ` ${draft.limits}` : "";
  const way = onError === null ? "" : ` on_error=${onError}`;
  const text = `# raymond: retries=${String(draft.retries)} backoff=1s${way}${limits}`;
  return {
    ...plain,
    name,
    onError,
    text,
    lines: onError === null ? lines : ["!no", ...lines],
  };
}

const plain = {
  ...{ implied: null, gives: null, answer: null, onError: null, onContext: null, agents: null },
} as const;

const GIVEN = "for {{input}}{{result}} by {{agent_id}}";

/** A gate that all has to pass, however often it is sent back. */
export const GATE = "GATE.sh";
const GATED = `, verify: ${GATE}, attempts: 999 }`;

const ANY_TAG = ["reset", "call", "function", "fork", "join", "ask", "result"]
  .map((tag) => `{ tag: ${tag} }`)
  .concat(`{ tag: goto, input: "${GIVEN}" }`)
  .join(", ");
