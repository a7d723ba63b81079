/*
 * Runs of `fleet.test.ts`: three workflows and their expected results. Scripts log their start: run, agent, state.
 */

const acts = (state: string, rest: string, more = "") =>
  `echo "$RAYMOND_WORKFLOW_ID $RAYMOND_AGENT_ID ${state}" >>"$EFFECTS"\nsleep 0.2\n${more}echo '${rest}'\n`;

export const FILES: Readonly<Record<string, string>> = {
  "forks/1_START.sh": acts("START", "<fork>ONE</fork><fork>TWO</fork><join>MERGE</join>"),
  "forks/ONE.md": "[ONE] Work.\n",
  "forks/SUB.md": "[SUB] Work.\n",
  "forks/BACK.md": "[BACK] Work.\n",
  "forks/TWO.sh": acts("TWO", '<goto delay="400ms">THREE</goto>'),
  "forks/THREE.sh": acts("THREE", "<result>three</result>"),
  "forks/MERGE.sh": acts("MERGE", "<goto>ASK</goto>"),
  "forks/ASK.md": "[ASK] Work.\n",
  "forks/END.sh": acts("END", "<result>done</result>"),

  "simulated/1_START.sh": acts("START", "<fork>SIM</fork><fork>SIM</fork><join>END</join>"),
  "simulated/SIM.md": "Work.\n",
  "simulated/END.sh": acts("END", "<result>done</result>"),
  "simulated/all.sim.yaml": `states:
  SIM.md:
    - { reply: "<result>done</result>", cost: 0.04, delay: 300ms, times: always }
`,

  "files/1_START.sh": acts("START", "<reset>WORK</reset>", "echo START >>log\n"),
  "files/WORK.md": "[WORK] Work.\n",
  "files/TWO.sh": acts("TWO", "<goto>END</goto>", "echo TWO >>log\n"),
  "files/END.sh": acts("END", "<result>done</result>", "echo END >>log\n"),
};

/** Expected scripts of each agent, in order. Other agents must not exist. */
export const ORDER: Readonly<Record<string, readonly string[]>> = {
  main: ["START", "TWO", "MERGE", "END"],
  main_two2: ["TWO", "THREE"],
};

/** Agents without scripts. */
export const ASKED_ALONE: readonly string[] = ["main_one1", "main_sim1", "main_sim2"];

const tools = [{ name: "Bash", ms: 200 }];
const always = { times: "always", tools } as const;

/** Answers of the client. */
export const REPLIES = [
  { when: "[ONE]", say: '<call return="BACK">SUB</call>', cost: 0.01, ...always },
  { when: "[SUB]", say: "<result>sub</result>", cost: 0.05, ...always },
  { when: "[BACK]", say: "<result>one</result>", cost: 0.002, ...always },
  { when: "[ASK]", say: '<ask next="END" options="yes|no">Continue?</ask>', cost: 0.02, ...always },
  { when: "[WORK]", say: "<reset>TWO</reset>", cost: 0.003, ...always },
];

/** Expected cost of a run, micro-dollars. `asked`: charges if each prompt is sent once. */
export interface Whole {
  readonly steps: number;
  readonly asked: number;
  /** Simulated cost. */
  readonly simulated: number;
}

export const WHOLES: Readonly<Record<string, Whole>> = {
  forks: { steps: 9, asked: 82_000, simulated: 0 },
  simulated: { steps: 4, asked: 0, simulated: 80_000 },
  files: { steps: 4, asked: 3_000, simulated: 0 },
};

/** Maximum cost of a call, micro-dollars. */
export const MOST_A_CALL = 50_000;
