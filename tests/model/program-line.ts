import fc from "fast-check";

/** One output of a state, by what it asks for. */
export interface Line {
  readonly tag: "goto" | "reset" | "call" | "function" | "fork" | "join" | "ask" | "result";
  readonly to: number;
  readonly back: number;
  /** Its tag goes to another workflow, or by its path to the started one; null: by a name. */
  readonly crosses: "home" | "other" | null;
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
  /** Of a join or a question. */
  readonly timeout: string | null;
  /** Of a question. */
  readonly options: string | null;
  readonly reports: boolean;
  readonly style: number;
  /** Workers that the same output starts beside its tag. */
  readonly beside: readonly Beside[];
}

interface Beside {
  readonly to: number;
  readonly item: string | null;
  readonly input: string | null;
  /** It also names the next state of the agent, where that may be repeated. */
  readonly saysNext: boolean;
  readonly reports: boolean;
  readonly first: boolean;
}

const FOLDERS = ["sub", "..", "/tmp/x", "./a/../b"] as const;

const anyBeside: fc.Arbitrary<Beside> = fc.record({
  to: fc.nat({ max: 5 }),
  item: fc.option(fc.constantFrom("", "a > b")),
  input: fc.option(fc.constantFrom("%", "")),
  saysNext: fc.boolean(),
  reports: fc.boolean(),
  first: fc.boolean(),
});

export const anyLine: fc.Arbitrary<Line> = fc.record({
  tag: fc.constantFrom(
    ...([
      "goto",
      "reset",
      "call",
      "call",
      "function",
      "result",
      "fork",
      "fork",
      "join",
      "ask",
    ] as const),
  ),
  to: fc.nat({ max: 5 }),
  back: fc.nat({ max: 5 }),
  crosses: fc.constantFrom(null, null, "home" as const, "other" as const),
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
  options: fc.option(fc.constantFrom("yes|no", " Yes | no, later ", "one")),
  reports: fc.boolean(),
  style: fc.nat({ max: 3 }),
  beside: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(anyBeside, { minLength: 1, maxLength: 2 }) },
  ),
});

/** The tags that have a relative that goes to another workflow. */
export const CROSSED: ReadonlySet<Line["tag"]> = new Set(["reset", "call", "function", "fork"]);

const QUESTIONS = ["right", "%,\n\nwrong", "a"] as const;

/** The output as text: `stem` and `file` name the states of its own workflow. */
export function print(
  line: Line,
  stem: (n: number) => string,
  file: (n: number) => string,
  path: string,
): string {
  const { tag, cd, style } = line;
  const name = line.crosses === null ? tag : `${tag}-workflow`;
  const to = line.explicit ? file(line.to) : stem(line.to);
  const back = line.explicit ? stem(line.back) : file(line.back);
  const blank = style === 1 ? " " : "";
  const attribute = ([name, value]: readonly [string, string]) =>
    style === 2 ? ` ${name} = '${value}'` : ` ${name}="${value}"`;
  const given = line.input === null ? [] : [["input", line.input] as const];
  const later = line.delay === null ? [] : [["delay", line.delay] as const];
  const timed =
    line.timeout === null
      ? []
      : [["timeout", line.timeout] as const, ["timeout_next", back] as const];
  const most = line.beside.length;
  const reports = (does: boolean) => (does ? [["on_error", "report"] as const] : []);
  const inside = {
    goto: [...given, ...later],
    result: [],
    join: [
      ...(line.min === null ? [] : [["min", String(Math.min(line.min, most))] as const]),
      ...timed,
    ],
    ask: [
      ["next", to] as const,
      ...(line.options === null ? [] : [["options", line.options] as const]),
      ...timed,
      // The input is for the state after an unanswered question.
      ...(line.timeout === null ? [] : given),
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
  const place = line.crosses === null ? to : path;
  const contents: Partial<Record<Line["tag"], string>> = {
    ...{ result: line.payload, ask: `Is it ${QUESTIONS[line.to % QUESTIONS.length] ?? ""}?` },
  };
  const content = contents[tag] ?? `${blank}${place}${blank}`;
  const tagText = `<${name}${inside.map(attribute).join("")}${blank}>${content}</${name}>`;
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
