import fc from "fast-check";
import type { Settings } from "../../../../src/config/switches.ts";
import { anyLine, type Line, print } from "../../../model/program-line.ts";
import type { End } from "./attempt.ts";

/** A workflow whose transitions lead only to later states, so that every agent ends; and how its steps end. */
export interface SmallWorkflow {
  /** By name. */
  readonly files: Readonly<Record<string, string>>;
  readonly ends: Readonly<Record<string, readonly End[]>>;
  readonly settings: Partial<Settings>;
  readonly input: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

const STEMS = ["1_START", "STEP1", "a", "Review.x", "WORKER-two"] as const;

interface Draft {
  readonly prompt: boolean;
  readonly rules: "none" | "any" | "gated";
  readonly retries: number;
  /** A script has an on_error transition. */
  readonly diverts: boolean;
  /** Failures before the output. */
  readonly mishaps: readonly Mishap[];
  readonly lines: readonly Line[];
}

const MISHAPS = ["mumbles", "fails", "dies", "dies early", "overload", "limit"] as const;
type Mishap = (typeof MISHAPS)[number];

const anyDraft: fc.Arbitrary<Draft> = fc.record({
  prompt: fc.boolean(),
  rules: fc.constantFrom("none", "any", "any", "gated"),
  retries: fc.nat({ max: 2 }),
  diverts: fc.boolean(),
  mishaps: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...MISHAPS), { maxLength: 2 }) },
  ),
  lines: fc.array(anyLine, { minLength: 1, maxLength: 2 }),
});

export const anySmallWorkflow: fc.Arbitrary<SmallWorkflow> = fc
  .record({
    drafts: fc.array(anyDraft, { minLength: 1, maxLength: STEMS.length - 1 }),
    gate: fc.constantFrom<readonly boolean[]>([true], [true], [false, true], [false]),
    settings: fc.record({
      onAsk: fc.constantFrom("stop", "wait"),
      keepGoing: fc.boolean(),
      maxParallel: fc.constantFrom(1, 16),
      budgetMicroUsd: fc.constantFrom(10_000_000, 10_000_000, 60_000),
    }),
    input: fc.option(fc.constantFrom("", "in put"), { nil: undefined }),
    attributes: fc.dictionary(fc.constantFrom("mine", "item"), fc.constantFrom("", "v"), {
      noNullPrototype: true,
    }),
  })
  .map(({ drafts, gate, settings, ...rest }) => {
    const last = drafts.length;
    const states = drafts.map((draft, index) => write(draft, index, drafts));
    const end = `${STEMS[last] ?? ""}.sh`;
    const files = Object.fromEntries(states.map(({ name, text }) => [name, text]));
    const ends = Object.fromEntries(states.map((state) => [state.name, state.ends]));
    const passes = gate.map(
      (passed): End => (passed ? { kind: "says", text: "" } : { kind: "fails" }),
    );
    return {
      ...rest,
      files: { ...files, [end]: "", "GATE.sh": "" },
      ends: {
        ...ends,
        [end]: [{ kind: "says", text: "<result>done</result>" }],
        "GATE.sh": passes,
      },
      // Limits runs that would start more and more agents.
      settings: { ...settings, maxSteps: 30, maxAgents: 12, timeoutMs: 0, toolTimeoutMs: 0 },
    };
  });

function write(draft: Draft, index: number, all: readonly Draft[]) {
  const later = (n: number) => index + 1 + (n % (all.length - index));
  const stem = (n: number) => STEMS[later(n)] ?? "";
  const file = (n: number) => `${stem(n)}${all[later(n)]?.prompt === true ? ".md" : ".sh"}`;
  const name = `${STEMS[index] ?? ""}${draft.prompt ? ".md" : ".sh"}`;
  const said = draft.lines.map((line): End => {
    const text = print({ ...line, crosses: null }, stem, file, "");
    return { kind: "says", text: text.replaceAll("%", "an input").replaceAll("90m", "50s") };
  });
  const ends = [...draft.mishaps.map((mishap) => endBy(mishap)), ...said];
  if (!draft.prompt) {
    const onError = draft.diverts ? ` on_error=${file(0)}` : "";
    return { name, text: `# raymond: retries=${String(draft.retries)} backoff=1s${onError}`, ends };
  }
  if (draft.rules === "none") return { name, text: "Do it.", ends };
  const tags = draft.rules === "gated" ? ANY_TAG.replaceAll(" }", GATED) : ANY_TAG;
  return { name, text: `---\nallowed_transitions: [${tags}]\n---\nDo it.`, ends };
}

function endBy(mishap: Mishap): End {
  switch (mishap) {
    case "mumbles":
      return { kind: "says", text: "<goto>NOWHERE</goto>" };
    case "fails":
      return { kind: "fails" };
    case "dies":
      return { kind: "dies", early: false };
    case "dies early":
      return { kind: "dies", early: true };
    case "overload":
    case "limit":
      return { kind: "meets", what: mishap };
  }
}

const GATED = ", verify: GATE.sh, attempts: 3 }";
const ANY_TAG = ["reset", "call", "function", "fork", "join", "ask", "result"]
  .map((tag) => `{ tag: ${tag} }`)
  .concat('{ tag: goto, input: "for {{input}}{{result}} by {{agent_id}}" }')
  .join(", ");
