import type { OutlinedMove } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";

/** A workflow as a picture shows it: what there is to see, and no places yet. */
export interface Graph {
  /** In the order in which a run comes to them; what no run comes to is last. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

export interface Node {
  /** Unlike that of any other node. */
  readonly id: string;
  readonly kind: NodeKind;
  /** What is written into it: of a state its name without extension. */
  readonly label: string;
  /** The state that it is; null for what is none. */
  readonly state: StateName | null;
  /** What is said of it below its label: model, effort, what bounds it. */
  readonly notes: readonly string[];
  /** A run begins here. */
  readonly entry: boolean;
  /** Some rule has it for its gate. */
  readonly gate: boolean;
  /** Whether a run comes here, as far as the files say it. */
  readonly reached: boolean;
  /** Why it is none that could be entered, as a sentence; null where it could. */
  readonly problem: string | null;
  /** Of a run that was laid over it; null without one, or where it did not come here. */
  readonly visited: Visited | null;
}

/**
 * `question`: a person answers it. `end`: an agent ends. `workflow`: another one,
 * by its path. `missing`: a state that is named and is not there. `open`: a
 * state that only a run tells.
 */
export type NodeKind = "prompt" | "script" | "question" | "end" | "workflow" | "missing" | "open";

/** What a run has done in a state. */
export interface Visited {
  readonly visits: number;
  /** Total time of the attempts that have ended; null while none has. */
  readonly durationMs: number | null;
  readonly costMicroUsd: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** The tag, key or answer that leads there, and what is written of it; several, where several do. */
  readonly labels: readonly string[];
  /** Some of this stands in the text of the state and in none of its rules. */
  readonly mentioned: boolean;
  /** Where it stands for many, so that the picture can be read: the other nodes from which it leads as well. */
  readonly also: readonly string[];
  /** How often a run went there; null without one. */
  readonly times: number | null;
}

/**
 * `way`: the agent goes on there. `call`: it comes back. `return`: there.
 * `fork`: a new agent begins there. `join`: the agent waits for those it has
 * forked. `collect`: what one of them gives is heard there.
 * `gate`: a script is to let it through. `refused`: it did not. `diverted`:
 * the agent goes there in place of failing, or of waiting longer. `undeclared`:
 * a run went there, and the files say nothing of it.
 */
export type EdgeKind =
  | "way"
  | "call"
  | "return"
  | "fork"
  | "join"
  | "collect"
  | "gate"
  | "refused"
  | "diverted"
  | "undeclared";

/** What leads from a state: a tag, or a key. */
export type By = OutlinedMove["by"];
