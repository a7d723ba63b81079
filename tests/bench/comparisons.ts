import { compareAgents, compareEnded, compareManyAgents, compareSleepers } from "./agents.ts";
import { compareAlive, compareMemory } from "./memory.ts";
import { comparePaints } from "./paints.ts";
import { comparePrompts } from "./prompts.ts";
import { compareResumes } from "./resumes.ts";
import type { Scale } from "./scale.ts";
import { compareServes } from "./serves.ts";
import { compareStarts } from "./starts.ts";
import { compareManySteps, compareSteps, compareTerminal } from "./steps.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";

/** Measures one topic. `stateBytes`: size of a small state file. */
export type Comparison = (
  bed: TestBed,
  scale: Scale,
  stateBytes: number,
) => Promise<readonly Row[]>;

/** All comparisons by name. */
export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  starts: compareStarts,
  steps: compareSteps,
  "many-steps": compareManySteps,
  sleepers: compareSleepers,
  agents: compareAgents,
  "many-agents": compareManyAgents,
  ended: compareEnded,
  memory: compareMemory,
  alive: compareAlive,
  resumes: compareResumes,
  prompts: comparePrompts,
  terminal: compareTerminal,
  serves: compareServes,
  paints: comparePaints,
};
