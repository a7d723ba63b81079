import type { FakeScript } from "../fixtures/fake-client.ts";

/** The command to use when a run has stopped, perhaps after a fix. */
export interface Sequel {
  /** The status that requires it. */
  readonly status: string;
  /** Files to write before, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** In addition to `--resume`. */
  readonly flags: readonly string[];
}

/**
 * A workflow with the same result despite crashes: replies depend only on the prompt, not on the number of calls, and
 * each step appends a line `<agent> <STATE>` to the file `effects`.
 */
export interface Scenario {
  readonly name: string;
  /** The workflow is the folder `w`. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders to pack as zips. With `w`, the run uses `w.zip`. */
  readonly zipped: readonly string[];
  readonly replies: NonNullable<FakeScript["replies"]>;
  /** In addition to the workflow and the id. */
  readonly flags: readonly string[];
  readonly sequels: readonly Sequel[];
  /** Acceleration of the clocks of raymond and the client. */
  readonly speed: number;
}

/** Run id of all scenarios. */
export const RUN = "one";

/** A script that appends its line and then runs `rest`. */
function acts(state: string, rest: string): string {
  return `echo "$RAYMOND_AGENT_ID ${state}" >>"$EFFECTS"\n${rest}\n`;
}

function says(tag: string): string {
  return `echo '${tag}'`;
}

/** A prompt with the name of its state, for the fake client. */
function prompt(state: string, rules: readonly string[] = []): string {
  const matter = rules.map((rule) => `  - { ${rule} }\n`).join("");
  const front = rules.length === 0 ? "" : `---\nallowed_transitions:\n${matter}---\n`;
  return `${front}[${state}] Do the task.\n`;
}

type Reply = NonNullable<FakeScript["replies"]>[number];

/** The answer to the prompt of a state and to notes in its conversation. */
function reply(state: string, say: string, more: Reply = {}): Reply {
  const tools = [{ name: "Bash", ms: 20 }];
  return { when: `[${state}]`, say, effect: state, times: "always", tools, ...more };
}

function scenario(name: string, of: Partial<Scenario> & Pick<Scenario, "files">): Scenario {
  return { name, zipped: [], replies: [], flags: [], sequels: [], speed: 1, ...of };
}

/** The number of steps so far, from the state file. */
const STEPS = `steps=$(sed -n 's/^  "steps": \\([0-9]*\\),$/\\1/p' ".raymond/workflows/${RUN}.json")`;

/** The client deletes its conversations as soon as the run has copies of them. */
const TIDY = [
  "projects=$CLAUDE_CONFIG_DIR/projects",
  'kept() { for t in "$projects"/*/*.jsonl; do',
  `  cmp -s "$t" ".raymond/runs/${RUN}/transcripts/\${t##*/}" || return 1; done; }`,
  "for n in 1 2 3 4 5 6 7 8 9 10; do kept && break; sleep 0.05; done",
  'kept && rm -rf "$projects"',
].join("\n");

/** Results of joined workers, without durations. */
const OKS = `grep -o '"ok":[a-z]*' "$RAYMOND_RESULT_FILE" | tr '\\n' ' '`;

/** Path and content of an answer file. */
const ANSWERS = `.raymond/runs/${RUN}/answers`;
const ASK = '<ask next="SHIP" options="yes|no">Ship it?</ask>';

function answer(agent: string, number: number, text: string): string {
  const by = { user: "ann", host: "box", via: "command", at: "2026-11-21T12:00:00.000Z" };
  return JSON.stringify({ agent, number, answer: text, ...by });
}

/** A prompt that does not continue a conversation as large as `full` makes it. */
function fresh(state: string): string {
  return `---\nmax_context: 100k\non_context: HANDOFF\n---\n${prompt(state)}`;
}

/** The answer that makes its conversation that large. */
function full(state: string, say: string): Reply {
  return reply(state, say, { tokens: [120_000, 1_000] });
}

/** A gate that fails until this state has run again. */
function gate(state: string): string {
  return `grep -q " ${state}$" "$EFFECTS" || { echo red; exit 1; }\n${acts("GATE", "")}`;
}

/** A payload that is too long for the state file. */
const LONG = `printf '<result>'; head -c 70000 /dev/zero | tr '\\0' x; echo '</result>'`;

const PLENTY = { status: "budget_exceeded", files: {}, flags: ["--budget", "1"] };
const FIXED = { status: "failed", files: { fixed: "" }, flags: [] };

/** A script that fails until the file `fixed` exists. */
const BROKEN = "[ -e fixed ] || exit 3";

/** Accelerated clocks: seconds become tenths. */
const FAST = 20;

/** One scenario per kind of path through a run. */
export const SCENARIOS: readonly Scenario[] = [
  scenario("line", {
    files: {
      "w/START.sh": acts("START", says("<goto>ASK</goto>")),
      "w/ASK.md": prompt("ASK"),
      "w/END.sh": acts("END", says("<result>done</result>")),
    },
    replies: [reply("ASK", "<goto>END</goto>")],
  }),
  scenario("loop", {
    files: {
      "w/START.sh": `${STEPS}\n${acts("START $steps", `[ "$steps" -lt 3 ] && ${says("<goto>START</goto>")} || { ${LONG}; }`)}`,
    },
  }),
  scenario("call", {
    files: {
      "w/START.md": prompt("START"),
      "w/CHILD.md": prompt("CHILD"),
      "w/BACK.md": prompt("BACK"),
    },
    replies: [
      reply("START", '<call return="BACK">CHILD</call>'),
      reply("CHILD", "<result>of the child</result>"),
      reply("BACK", "<result>done</result>"),
    ],
  }),
  scenario("nested call", {
    files: {
      "w/START.md": prompt("START"),
      "w/ONE.sh": acts("ONE", says('<call return="TWO">DEEP</call>')),
      "w/DEEP.md": prompt("DEEP"),
      "w/TWO.sh": acts("TWO", `${TIDY}\n${says("<result>two</result>")}`),
      "w/BACK.md": prompt("BACK"),
    },
    replies: [
      reply("START", '<call return="BACK">ONE</call>'),
      reply("DEEP", "<result>deep</result>"),
      reply("BACK", "<result>done</result>"),
    ],
  }),
  scenario("function", {
    files: {
      "w/START.md": prompt("START"),
      "w/WORK.sh": acts("WORK", LONG),
      "w/END.sh": acts("END $(wc -c <$RAYMOND_RESULT_FILE)", says("<result>done</result>")),
    },
    replies: [reply("START", '<function return="END">WORK</function>')],
  }),
  scenario("reset", {
    files: {
      "w/START.md": prompt("START"),
      "w/CHILD.sh": acts("CHILD", says('<reset cd="sub">AGAIN</reset>')),
      "w/AGAIN.md": prompt("AGAIN"),
      "w/NEVER.sh": acts("NEVER", says("<result>never</result>")),
      "sub/here": "",
    },
    replies: [
      reply("START", '<call return="NEVER">CHILD</call>'),
      reply("AGAIN", "<result>done</result>"),
    ],
  }),
  scenario("fork tree", {
    files: {
      "w/START.sh": acts("START", says('<fork next="NEXT" item="1">WORK</fork>')),
      "w/NEXT.sh": acts("NEXT", says('<fork next="END" item="2">LEAF</fork>')),
      "w/WORK.sh": acts("WORK $item", says('<fork next="END" item="3">LEAF</fork>')),
      "w/LEAF.sh": acts("LEAF $item", says("<result>leaf</result>")),
      "w/END.sh": acts("END", says("<result>done</result>")),
    },
  }),
  scenario("reminder", {
    files: {
      "w/START.md": prompt("START", ["tag: reset, target: END", "tag: result"]),
      "w/END.sh": acts("END", says("<result>done</result>")),
    },
    replies: [
      reply("START", "I have no tag.", { match: "[START]", effect: undefined }),
      reply("START", "<reset>END</reset>"),
    ],
  }),
  scenario("reminder in a call", {
    files: {
      "w/START.md": prompt("START"),
      "w/CHILD.md": prompt("CHILD", ["tag: result", "tag: goto, target: CHILD"]),
      "w/BACK.sh": acts("BACK", says("<result>done</result>")),
    },
    replies: [
      reply("START", '<call return="BACK">CHILD</call>'),
      reply("CHILD", "I have no tag.", { match: "[CHILD]", effect: undefined }),
      reply("CHILD", "<result>of the child</result>"),
    ],
  }),
  scenario("script and prompt", {
    files: {
      "w/START.sh": `${STEPS}\n${acts("START $steps", `[ "$steps" -ne 2 ] || {\n${TIDY}\n}\n[ "$steps" -lt 4 ] && ${says("<goto>ASK</goto>")} || ${says("<result>done</result>")}`)}`,
      "w/ASK.md": prompt("ASK"),
    },
    replies: [reply("ASK", "<goto>START</goto>")],
  }),
  scenario("zip", {
    zipped: ["w"],
    files: {
      "w/START.md": prompt("START"),
      "w/WORK.sh": acts("WORK", LONG),
      "w/END.sh": acts("END $(wc -c <$RAYMOND_RESULT_FILE)", '. "$RAYMOND_STATE_DIR/lib/last.sh"'),
      "w/lib/last.sh": says("<result>done</result>"),
    },
    replies: [reply("START", '<function return="END">WORK</function>')],
  }),
  scenario("other workflow", {
    files: {
      "w/START.md": prompt("START", ["tag: call-workflow, target: ../lib/LIB.md, return: BACK"]),
      "w/BACK.sh": acts("BACK $RAYMOND_RESULT", says("<result>done</result>")),
      "lib/LIB.md": prompt("LIB"),
      "lib/WORK.sh": acts("WORK", says("<result>worked</result>")),
    },
    replies: [
      reply("START", '<call-workflow return="BACK">../lib/LIB.md</call-workflow>'),
      reply("LIB", "<goto>WORK</goto>"),
    ],
  }),
  scenario("other workflow in a zip", {
    zipped: ["lib"],
    files: {
      "w/START.sh": acts(
        "START",
        says('<function-workflow return="BACK" input="it">../lib.zip</function-workflow>'),
      ),
      "w/BACK.sh": acts("BACK $RAYMOND_RESULT", says("<result>done</result>")),
      // From here on only the copy of the conversation exists.
      "lib/START.sh": acts("START $RAYMOND_INPUT", `rm -f lib.zip\n${says("<goto>ASK</goto>")}`),
      "lib/ASK.md": prompt("ASK"),
    },
    replies: [reply("ASK", "<result>asked</result>")],
  }),
  scenario("budget stop", {
    files: {
      "w/START.md": prompt("START"),
      "w/NEXT.md": prompt("NEXT"),
    },
    flags: ["--budget", "0.05"],
    replies: [
      reply("START", "<goto>NEXT</goto>", { cost: 0.06 }),
      reply("NEXT", "<result>done</result>"),
    ],
    sequels: [PLENTY],
  }),
  scenario("budget stop of a fork", {
    files: {
      "w/START.md": prompt("START"),
      "w/WORK.sh": acts("WORK", says("<result>worked</result>")),
      "w/NEXT.md": prompt("NEXT"),
    },
    flags: ["--budget", "0.05"],
    replies: [
      reply("START", '<fork next="NEXT">WORK</fork>', { cost: 0.06 }),
      reply("NEXT", "<result>done</result>"),
    ],
    sequels: [PLENTY],
  }),
  scenario("limit wait", {
    speed: FAST,
    files: {
      "w/START.sh": acts("START", says("<goto>ASK</goto>")),
      "w/ASK.md": prompt("ASK"),
    },
    replies: [{ do: "limit", resetsIn: 12 }, reply("ASK", "<result>done</result>")],
  }),
  scenario("outage", {
    speed: FAST,
    files: { "w/START.md": prompt("START"), "w/NEXT.md": prompt("NEXT") },
    replies: [
      reply("START", "<goto>NEXT</goto>"),
      { when: "[NEXT]", do: "overload" },
      reply("NEXT", "<result>done</result>"),
    ],
  }),
  scenario("bad night", {
    speed: FAST,
    files: { "w/START.md": prompt("START") },
    replies: [
      { do: "overload" },
      { do: "limit", resetsIn: 12 },
      { do: "die-streaming", say: "I start." },
      reply("START", "<result>done</result>"),
    ],
  }),
  scenario("script that is tried again", {
    speed: FAST,
    files: {
      "w/START.sh": `# raymond: retries=1\n[ -e tried ] || { touch tried; exit 3; }\n${acts("START", says("<goto>END</goto>"))}`,
      "w/END.sh": acts("END", says("<result>done</result>")),
    },
  }),
  scenario("join", {
    files: {
      "w/START.sh": acts(
        "START",
        says(
          `<fork item="1">WORK</fork><fork item="2" on_error="report">WORK</fork><join>MERGE</join>`,
        ),
      ),
      "w/WORK.sh": acts(
        "WORK $item",
        `[ "$item" = 1 ] || exit 4\n${says("<result>worked</result>")}`,
      ),
      "w/MERGE.sh": acts("MERGE", `echo "<result>$(${OKS})</result>"`),
    },
  }),
  scenario("late join", {
    speed: FAST,
    files: {
      "w/START.sh": acts(
        "START",
        says('<fork>WORK</fork><join timeout="2s" timeout_next="LATE">NEVER</join>'),
      ),
      "w/WORK.sh": `until [ -e late ]; do sleep 0.02; done\n${acts("WORK", says("<result>worked</result>"))}`,
      "w/NEVER.sh": acts("NEVER", says("<result>never</result>")),
      "w/LATE.sh": acts("LATE", `touch late\necho "<result>$(${OKS})</result>"`),
    },
  }),
  // Answered twice by files, without a signal: the run polls for answers.
  scenario("question", {
    files: {
      "w/START.sh": acts("START", says(`<fork>PERSON</fork>${ASK}`)),
      "w/PERSON.sh": acts(
        "PERSON",
        [
          `mkdir -p ${ANSWERS}`,
          `echo '${answer("main", 1, "yes")}' >${ANSWERS}/one.tmp`,
          `echo '${answer("main", 1, "no")}' >${ANSWERS}/two.tmp`,
          `for f in one two; do ln ${ANSWERS}/$f.tmp ${ANSWERS}/main-1.json 2>/dev/null || :; done`,
          `rm ${ANSWERS}/*.tmp`,
          says("<result>answered</result>"),
        ].join("\n"),
      ),
      "w/SHIP.sh": acts("SHIP", 'echo "<result>said $RAYMOND_RESULT</result>"'),
    },
  }),
  scenario("parked question", {
    files: {
      "w/START.sh": acts("START", says(ASK)),
      "w/SHIP.sh": acts("SHIP", 'echo "<result>said $RAYMOND_RESULT</result>"'),
    },
    sequels: [
      {
        status: "paused",
        files: { [`${ANSWERS}/main-1.json`]: answer("main", 1, "no") },
        flags: [],
      },
    ],
  }),
  scenario("parked questions", {
    files: {
      "w/START.sh": acts("START", says("<fork>WORK</fork><join>MERGE</join>")),
      "w/WORK.sh": acts("WORK", says(ASK)),
      "w/SHIP.sh": acts("SHIP", says("<result>shipped</result>")),
      "w/MERGE.sh": acts("MERGE", `echo "<result>$(${OKS})</result>"`),
    },
    sequels: [
      {
        status: "paused",
        files: { [`${ANSWERS}/main_work1-2.json`]: answer("main_work1", 2, "yes") },
        flags: [],
      },
    ],
  }),
  scenario("delay", {
    speed: FAST,
    files: {
      "w/START.sh": acts("START", says('<goto delay="8s" input="later">END</goto>')),
      "w/END.sh": acts("END $RAYMOND_INPUT", says("<result>done</result>")),
    },
  }),
  scenario("polling loop", {
    speed: FAST,
    files: {
      "w/START.sh": acts("START", says('<function return="END">POLL</function>')),
      "w/POLL.sh": `${STEPS}\n${acts("POLL $steps", `[ "$steps" -lt 2 ] && ${says('<reset frames="keep" delay="8s">POLL</reset>')} || ${says("<result>found</result>")}`)}`,
      "w/END.sh": acts("END $RAYMOND_INPUT", says("<result>done</result>")),
    },
  }),
  scenario("gate", {
    files: {
      "w/START.md": prompt("START", ["tag: goto, target: END, verify: GATE"]),
      "w/GATE.sh": gate("START"),
      "w/END.sh": acts("END", says("<result>done</result>")),
    },
    replies: [
      reply("START", "<goto>END</goto>", { match: "[START]", effect: undefined }),
      reply("START", "<goto>END</goto>"),
    ],
  }),
  scenario("gate in a call", {
    files: {
      "w/START.sh": acts("START", says('<call return="BACK">CHILD</call>')),
      "w/CHILD.md": prompt("CHILD", ["tag: result, verify: GATE"]),
      "w/GATE.sh": gate("CHILD"),
      "w/BACK.sh": acts("BACK $RAYMOND_INPUT", says("<result>done</result>")),
    },
    replies: [
      reply("CHILD", "<result>of the child</result>", { match: "[CHILD]", effect: undefined }),
      reply("CHILD", "<result>of the child</result>"),
    ],
  }),
  scenario("hand-over", {
    files: {
      "w/START.md": prompt("START"),
      "w/WORK.md": fresh("WORK"),
      "w/HANDOFF.md": prompt("HANDOFF"),
    },
    replies: [
      full("START", "<goto>WORK</goto>"),
      reply("HANDOFF", "<reset>WORK</reset>"),
      reply("WORK", "<result>done</result>"),
    ],
  }),
  scenario("hand-over in a call", {
    files: {
      "w/START.md": prompt("START"),
      "w/WORK.md": fresh("WORK"),
      "w/HANDOFF.sh": acts("HANDOFF $RAYMOND_STATE", says("<result>noted</result>")),
      "w/BACK.md": prompt("BACK"),
    },
    replies: [
      full("START", '<call return="BACK">WORK</call>'),
      reply("BACK", "<result>done</result>"),
    ],
  }),
  scenario("keep-going", {
    files: {
      "w/START.sh": acts("START", says('<fork next="ASK">WORK</fork>')),
      "w/WORK.sh": `${BROKEN}\n${acts("WORK", says("<result>worked</result>"))}`,
      "w/ASK.md": prompt("ASK"),
    },
    flags: ["--keep-going"],
    replies: [reply("ASK", "<result>done</result>")],
    sequels: [FIXED],
  }),
  scenario("failure", {
    files: {
      "w/START.sh": acts("START", says("<goto>WORK</goto>")),
      "w/WORK.sh": `${BROKEN}\n${acts("WORK", says("<result>done</result>"))}`,
    },
    sequels: [FIXED],
  }),
];
