import { SCENARIOS } from "../scenarios.ts";

/** A crash point in a scenario. */
export interface Pair {
  readonly point: string;
  readonly scenario: string;
}

const names = SCENARIOS.map(({ name }) => name);
const ALL = new Set(names);

function allBut(...left: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name) => !left.includes(name)));
}

function only(...those: readonly string[]): ReadonlySet<string> {
  return new Set(those);
}

/** Before the write, after the write of the temporary file, and after the save. */
function save(...moments: readonly string[]): readonly string[] {
  const phases = ["before", "written", "saved"];
  return moments.flatMap((moment) => phases.map((phase) => `save.${moment}.${phase}`));
}

function around(...things: readonly string[]): readonly string[] {
  return things.flatMap((thing) => [`${thing}.before`, `${thing}.after`]);
}

const PROMPTS = allBut(
  ...["loop", "fork tree", "script that is tried again", "failure"],
  ...["join", "late join", "delay", "polling loop"],
  ...["question", "parked question", "parked questions"],
);
const SCRIPTS = allBut("call", "budget stop", "outage", "bad night", "hand-over");
const PARKED = only("parked question", "parked questions");
const RESUMED = only("budget stop", "budget stop of a fork", "keep-going", "failure", ...PARKED);
const WAITING = only(
  ...["limit wait", "outage", "bad night", "script that is tried again", "delay", "polling loop"],
);
const BUDGET = only("budget stop", "budget stop of a fork");
const FAILING = only("keep-going", "failure");
const GOING = allBut(
  "call",
  "nested call",
  "function",
  "reset",
  "reminder",
  "reminder in a call",
  "zip",
  "bad night",
  ...["join", "late join", "delay", "polling loop", "gate in a call", "hand-over in a call"],
  ...["question", "parked question", "parked questions"],
);
const OTHERS = only("other workflow", "other workflow in a zip");
const JOINS = only("join", "late join");
const GATES = only("gate", "gate in a call");
const HAND_OVERS = only("hand-over", "hand-over in a call");
const LONG = only("loop", "function", "zip");

/** Points that an undisturbed run of a scenario always reaches. */
const ROWS: readonly (readonly [readonly string[], ReadonlySet<string>])[] = [
  [around("folder", "lock.claim", "lock.release"), ALL],
  [["save.renamed", ...save("created", "ended", "run.completed")], ALL],
  [around("lock.remove-lower"), RESUMED],
  [save("resumed"), RESUMED],
  [["prompt.before", "prompt.spawned", "prompt.output", "prompt.result", "prompt.exit"], PROMPTS],
  [save("started.prompt", "accepted", "spending", "paid"), PROMPTS],
  [around("copy"), PROMPTS],
  [around("put-back"), only("nested call", "script and prompt")],
  [["script.before", "script.spawned", "script.output", "script.exit"], SCRIPTS],
  [save("started.script"), SCRIPTS],
  [save("goto"), GOING],
  [save("call"), only("call", "nested call", "reset", "reminder in a call", "hand-over in a call")],
  [save("function"), only("function", "zip", "polling loop", "gate in a call")],
  [
    save("return"),
    only(
      ...["call", "nested call", "function", "reminder in a call", "zip"],
      ...["polling loop", "gate in a call", "hand-over in a call"],
    ),
  ],
  [save("entered", "returned"), OTHERS],
  [save("reset"), only("reset", "reminder", "hand-over")],
  [
    save("forked"),
    only(
      ...["fork tree", "budget stop of a fork", "keep-going", ...JOINS],
      ...["question", "parked questions"],
    ),
  ],
  [save("joining", "joined"), only(...JOINS, "parked questions")],
  [save("asking", "answered"), only("question", ...PARKED)],
  [save("stopping.question", "run.paused"), PARKED],
  [save("delayed"), only("delay", "polling loop")],
  [save("verifying", "sent-back"), GATES],
  [save("handed-over"), HAND_OVERS],
  [save("reminded"), only("reminder", "reminder in a call")],
  [around("payload"), LONG],
  [around("payload.remove"), only("function", "zip")],
  [save("limit"), only("limit wait", "bad night")],
  [save("outage"), only("outage", "bad night")],
  [save("retrying"), only("bad night", "script that is tried again")],
  [save("run.waiting", "run.running"), WAITING],
  [["wait.before", "wait.during", "wait.after"], WAITING],
  [save("stopping.budget", "run.budget_exceeded"), BUDGET],
  [save("failed", "stopping.deterministic", "run.failed"), FAILING],
];

/** The points that a run of this scenario reaches, by name. */
export function pointsOf(scenario: string): readonly string[] {
  const rows = ROWS.filter(([, where]) => where.has(scenario));
  return rows.flatMap(([points]) => points).sort();
}

/** All points with the scenarios that reach them. */
export function declaredPoints(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [points, where] of ROWS) {
    for (const point of points) found.set(point, [...(found.get(point) ?? []), ...where]);
  }
  return found;
}

/** The pairs to test: all, or `most` per point, distributed over its scenarios. */
export function pairs(most: number): readonly Pair[] {
  return [...declaredPoints()].flatMap(([point, scenarios], row) => {
    const count = Math.min(most, scenarios.length);
    return Array.from({ length: count }, (_, nth) => {
      const at = (row + Math.floor((nth * scenarios.length) / count)) % scenarios.length;
      return { point, scenario: scenarios[at] ?? "" };
    });
  });
}
