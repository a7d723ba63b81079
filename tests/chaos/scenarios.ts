import type { FakeScript } from "../fixtures/fake-client.ts";

/** What a person does when a run has stopped: another command, perhaps after mending something. */
export interface Sequel {
  /** The status in the state file that asks for it. */
  readonly status: string;
  /** Written before, path → text. */
  readonly files: Readonly<Record<string, string>>;
  /** Beside `--resume`. */
  readonly flags: readonly string[];
}

/**
 * A workflow whose run says the same however often it is broken off: replies
 * depend on what is asked and never on how often, and each step leaves a line
 * `<agent> <STATE>` in the file `effects` when it acts.
 */
export interface Scenario {
  readonly name: string;
  /** The workflow is the folder `w`. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders that are a zip each: with `w` among them the run is of `w.zip`. */
  readonly zipped: readonly string[];
  readonly replies: NonNullable<FakeScript["replies"]>;
  /** Beside the workflow and its id. */
  readonly flags: readonly string[];
  readonly sequels: readonly Sequel[];
  /** How much faster than a real clock raymond's and the client's run. */
  readonly speed: number;
}

/** The id of every scenario's run. */
export const RUN = "one";

/** A script that leaves its line and goes on with the rest. */
function acts(state: string, rest: string): string {
  return `echo "$RAYMOND_AGENT_ID ${state}" >>"$EFFECTS"\n${rest}\n`;
}

function says(tag: string): string {
  return `echo '${tag}'`;
}

/** The prompt of a state names it, so that the fake client knows what it is asked. */
function prompt(state: string, rules: readonly string[] = []): string {
  const matter = rules.map((rule) => `  - { ${rule} }\n`).join("");
  const front = rules.length === 0 ? "" : `---\nallowed_transitions:\n${matter}---\n`;
  return `${front}[${state}] Do what is to be done.\n`;
}

type Reply = NonNullable<FakeScript["replies"]>[number];

/** The answer to a state's prompt, and to a note that its conversation goes on with. */
function reply(state: string, say: string, more: Reply = {}): Reply {
  const tools = [{ name: "Bash", ms: 20 }];
  return { when: `[${state}]`, say, effect: state, times: "always", tools, ...more };
}

function scenario(name: string, of: Partial<Scenario> & Pick<Scenario, "files">): Scenario {
  return { name, zipped: [], replies: [], flags: [], sequels: [], speed: 1, ...of };
}

/** Steps that the run has made so far, which the state file tells its scripts. */
const STEPS = `steps=$(sed -n 's/^  "steps": \\([0-9]*\\),$/\\1/p' ".raymond/workflows/${RUN}.json")`;

/** The client tidies its conversations up, as soon as the run has its own copy of each. */
const TIDY = [
  "projects=$CLAUDE_CONFIG_DIR/projects",
  'kept() { for t in "$projects"/*/*.jsonl; do',
  `  cmp -s "$t" ".raymond/runs/${RUN}/transcripts/\${t##*/}" || return 1; done; }`,
  "for n in 1 2 3 4 5 6 7 8 9 10; do kept && break; sleep 0.05; done",
  'kept && rm -rf "$projects"',
].join("\n");

/** How the workers of a join have ended; what they say of it tells how long they took. */
const OKS = `grep -o '"ok":[a-z]*' "$RAYMOND_RESULT_FILE" | tr '\\n' ' '`;

/** Where persons answer, and what such a file says. */
const ANSWERS = `.raymond/runs/${RUN}/answers`;
const ASK = '<ask next="SHIP" options="yes|no">Ship it?</ask>';

function answer(agent: string, number: number, text: string): string {
  const by = { user: "ann", host: "box", via: "command", at: "2026-11-21T12:00:00.000Z" };
  return JSON.stringify({ agent, number, answer: text, ...by });
}

/** A prompt that does not go on with a conversation as large as `full` makes it. */
function fresh(state: string): string {
  return `---\nmax_context: 100k\non_context: HANDOFF\n---\n${prompt(state)}`;
}

/** The answer that makes its conversation so large. */
function full(state: string, say: string): Reply {
  return reply(state, say, { tokens: [120_000, 1_000] });
}

/** A gate that lets nothing through before this state has acted, which it does when it is sent back. */
function gate(state: string): string {
  return `grep -q " ${state}$" "$EFFECTS" || { echo red; exit 1; }\n${acts("GATE", "")}`;
}

/** A payload that is too long for the state file. */
const LONG = `printf '<result>'; head -c 70000 /dev/zero | tr '\\0' x; echo '</result>'`;

const PLENTY = { status: "budget_exceeded", files: {}, flags: ["--budget", "1"] };
const MENDED = { status: "failed", files: { mended: "" }, flags: [] };

/** A script that fails until a person has mended something. */
const BROKEN = "[ -e mended ] || exit 3";

/** Faster than life: pauses of seconds become tenths of them. */
const FAST = 20;

/** One for each kind of path that a run can take. */
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
      "w/CHILD.sh": acts("CHILD", says('<reset cd="sub">ANEW</reset>')),
      "w/ANEW.md": prompt("ANEW"),
      "w/NEVER.sh": acts("NEVER", says("<result>never</result>")),
      "sub/here": "",
    },
    replies: [
      reply("START", '<call return="NEVER">CHILD</call>'),
      reply("ANEW", "<result>done</result>"),
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
      // From here on the run has nothing but its copy.
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
      { do: "die-streaming", say: "I begin." },
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
  // Answered beside the run, twice, and told to nobody: the run looks for itself.
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
    sequels: [MENDED],
  }),
  scenario("failure", {
    files: {
      "w/START.sh": acts("START", says("<goto>WORK</goto>")),
      "w/WORK.sh": `${BROKEN}\n${acts("WORK", says("<result>done</result>"))}`,
    },
    sequels: [MENDED],
  }),
];
