import fc from "fast-check";
import type { Advanced, Moment, State } from "./reference.ts";

/** One state of a random workflow. */
export interface ProgramState extends State {
  /** The text of its file. */
  readonly text: string;
  /** What its steps say, in turn; `!` in front: it fails. `%` becomes what the step was given. */
  readonly lines: readonly string[];
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

/** Tokens of each prompt and its reply, and what the model can hold. */
export const PROMPT_TOKENS = 1_000;
export const WINDOW = 8_000;

/** Where the first agent begins. */
export function beginning({ states, input, attributes }: Program) {
  return { state: states[0]?.name ?? "", pending: input, attributes };
}

/** What a step says: the same however often it is asked, and whoever runs beside it. */
export function tell({ states, fuel }: Program, moment: Moment): Advanced {
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

const FORK = /<fork(?:[^>"']|"[^"]*"|'[^']*')*>[^<]*<\/fork>/g;

const STEMS = ["1_START", "STEP1", "a", "Review.x", "WORKER-two", "__"] as const;
const FOLDERS = ["sub", "..", "/tmp/x", "./a/../b"] as const;

interface Draft {
  readonly prompt: boolean;
  readonly rules: "none" | "any" | "implied" | "closed" | "gated";
  readonly limits: string;
  /** Of a conversation, where `limits` says so. */
  readonly most: string;
  readonly retries: number;
  readonly fails: boolean;
  readonly lines: readonly Line[];
}

interface Line {
  readonly tag: "goto" | "reset" | "call" | "function" | "fork" | "join" | "result";
  readonly to: number;
  readonly back: number;
  readonly explicit: boolean;
  readonly cd: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly payload: string;
  readonly frames: "keep" | "drop" | null;
  readonly delay: string | null;
  /** The payload of the state that is entered; null: none is given. */
  readonly input: string | null;
  /** Of a join, as far as there are so many workers. */
  readonly min: number | null;
  readonly timeout: string | null;
  readonly reports: boolean;
  readonly style: number;
  /** Workers that the same output starts beside its tag. */
  readonly beside: readonly Beside[];
}

interface Beside {
  readonly to: number;
  readonly item: string | null;
  readonly input: string | null;
  /** It says too where the agent goes on, where that may be said twice. */
  readonly saysNext: boolean;
  readonly reports: boolean;
  readonly first: boolean;
}

const anyBeside: fc.Arbitrary<Beside> = fc.record({
  to: fc.nat({ max: 5 }),
  item: fc.option(fc.constantFrom("", "a > b")),
  input: fc.option(fc.constantFrom("%", "")),
  saysNext: fc.boolean(),
  reports: fc.boolean(),
  first: fc.boolean(),
});

const anyLine: fc.Arbitrary<Line> = fc.record({
  tag: fc.constantFrom(
    ...(["goto", "reset", "call", "call", "function", "result", "fork", "fork", "join"] as const),
  ),
  to: fc.nat({ max: 5 }),
  back: fc.nat({ max: 5 }),
  explicit: fc.boolean(),
  cd: fc.option(fc.constantFrom(...FOLDERS), { freq: 3 }),
  attributes: fc.dictionary(
    fc.constantFrom("item", "_n", "Key2"),
    fc.constantFrom("", "7", "two words", "a > b"),
    { maxKeys: 2, noNullPrototype: true },
  ),
  payload: fc.constantFrom("%", "done %", "", "\r\n \n  kept  \n\n", "one\r\n\r\n%", "<b>%</b>"),
  frames: fc.constantFrom(null, "drop", "keep", "keep"),
  delay: fc.option(fc.constantFrom("1s", "90m"), { freq: 2 }),
  input: fc.option(fc.constantFrom("%", "", " in % ", "a < b"), { freq: 2 }),
  min: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
  timeout: fc.option(fc.constantFrom("1ms", "1s", "90m"), { freq: 2 }),
  reports: fc.boolean(),
  style: fc.nat({ max: 3 }),
  beside: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(anyBeside, { minLength: 1, maxLength: 2 }) },
  ),
});

const anyDraft: fc.Arbitrary<Draft> = fc.record({
  prompt: fc.boolean(),
  rules: fc.constantFrom("none", "none", "any", "any", "implied", "closed", "gated"),
  limits: fc.constantFrom("", "", "max_visits=3", "budget=0.05", "max_context", "max_context"),
  most: fc.constantFrom("1k", "20%"),
  retries: fc.nat({ max: 2 }),
  fails: fc.constantFrom(false, false, true),
  lines: fc.array(anyLine, { minLength: 1, maxLength: 3 }),
});

/** Any workflow whose agents all end, were it not for mishaps. */
export const anyProgram: fc.Arbitrary<Program> = fc
  .record({
    drafts: fc.array(anyDraft, { minLength: 1, maxLength: 4 }),
    fuel: fc.nat({ max: 4 }),
    input: fc.option(fc.constantFrom("", "in put")),
    attributes: fc.dictionary(fc.constantFrom("mine", "item"), fc.constantFrom("", "v"), {
      noNullPrototype: true,
    }),
  })
  .map(({ drafts, ...rest }) => ({ ...rest, states: drafts.map(write) }));

function write(draft: Draft, index: number, all: readonly Draft[]): ProgramState {
  const stem = (n: number) => STEMS[n % all.length] ?? STEMS[0];
  const file = (n: number) => `${stem(n)}${all[n % all.length]?.prompt === true ? ".md" : ".sh"}`;
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
  const lines = draft.lines.map((line) => print(line, stem, file));
  if (draft.prompt) {
    const ruled = draft.rules === "any" || draft.rules === "gated";
    const any = draft.rules === "gated" ? ANY_TAG.replaceAll(" }", GATED) : ANY_TAG;
    const rules = ruled ? `allowed_transitions: [${any}]\n` : "";
    const other = index + 1;
    const full = draft.limits === "max_context";
    // One that says nothing but its only way would lead back for ever.
    const silent = all[other % all.length]?.rules === "implied";
    const large = full && all.length > 1 && !silent;
    const limits = large
      ? `max_context: ${draft.most}\non_context: ${stem(other)}`
      : full
        ? ""
        : draft.limits.replace("=", ": ");
    const onContext = large ? stem(other) : null;
    const head = rules + limits === "" ? "" : `---\n${rules}${limits}\n---\n`;
    const gives = ruled ? GIVEN : null;
    return { ...plain, name, gives, onContext, text: `${head}Do it.`, lines };
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
  ...{ implied: null, gives: null, answer: null, onError: null, onContext: null },
} as const;

const GIVEN = "for {{input}}{{result}} by {{agent_id}}";

/** A gate that all has to pass, however often it is sent back. */
export const GATE = "GATE.sh";
const GATED = `, verify: ${GATE}, attempts: 999 }`;

const ANY_TAG = ["reset", "call", "function", "fork", "join", "result"]
  .map((tag) => `{ tag: ${tag} }`)
  .concat(`{ tag: goto, input: "${GIVEN}" }`)
  .join(", ");

function print(line: Line, stem: (n: number) => string, file: (n: number) => string): string {
  const { tag, cd, style } = line;
  const to = line.explicit ? file(line.to) : stem(line.to);
  const back = line.explicit ? stem(line.back) : file(line.back);
  const blank = style === 1 ? " " : "";
  const attribute = ([name, value]: readonly [string, string]) =>
    style === 2 ? ` ${name} = '${value}'` : ` ${name}="${value}"`;
  const given = line.input === null ? [] : [["input", line.input] as const];
  const later = line.delay === null ? [] : [["delay", line.delay] as const];
  const most = line.beside.length;
  const reports = (does: boolean) => (does ? [["on_error", "report"] as const] : []);
  const inside = {
    goto: [...given, ...later],
    result: [],
    join: [
      ...(line.min === null ? [] : [["min", String(Math.min(line.min, most))] as const]),
      ...(line.timeout === null
        ? []
        : [["timeout", line.timeout] as const, ["timeout_next", back] as const]),
    ],
    reset: [
      ...(cd === null ? [] : [["cd", cd] as const]),
      ...given,
      ...(line.frames === null ? [] : [["frames", line.frames] as const]),
      ...later,
    ],
    call: [["return", back] as const, ...given],
    function: [["return", back] as const, ...given],
    fork: [
      ["next", back] as const,
      ...(cd === null ? [] : [["cd", cd] as const]),
      ...given,
      ...reports(line.reports),
      ...Object.entries(line.attributes),
    ],
  }[tag];
  const content = tag === "result" ? line.payload : `${blank}${to}${blank}`;
  const tagText = `<${tag}${inside.map(attribute).join("")}${blank}>${content}</${tag}>`;
  const besides = (first: boolean) =>
    line.beside
      .filter((one) => one.first === first)
      .map((one) => {
        const next = tag === "fork" ? back : tag === "goto" ? to : null;
        const own = [
          ...(next !== null && one.saysNext ? [["next", next] as const] : []),
          ...(one.item === null ? [] : [["item", one.item] as const]),
          ...(one.input === null ? [] : [["input", one.input] as const]),
          ...reports(one.reports),
        ];
        return `<fork${own.map(attribute).join("")}>${file(one.to)}</fork>`;
      })
      .join("\n");
  const whole = `${besides(true)}${tagText}${besides(false)}`;
  return style === 3 ? `First the <goto> tag.\n${whole}\nThat was it.` : whole;
}
