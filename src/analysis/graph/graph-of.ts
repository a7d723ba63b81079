import { counted } from "../../language/basics/counted.ts";
import { formatUsd } from "../../language/basics/money.ts";
import {
  type Destination,
  type Outline,
  type OutlinedMove,
  type ReadState,
  shownMoves,
  writtenPath,
} from "../../language/outline/outline.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { type StateFile, stateKind } from "../../language/workflow/files/state-file.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { destinationAs, moveKind } from "../moves.ts";
import { afterTime, type Edge, type EdgeKind, type Graph, labelOf, type Node } from "./graph.ts";
import { type Level, levelsOf } from "./levels.ts";
import { endNode } from "./overlay-run.ts";

/** The graph of a workflow. `visited`: states that a run has entered, even if no declared move leads there. */
export function graphOf(outline: Outline, visited: Iterable<StateName> = []): Graph {
  const states = new Map(
    outline.states.flatMap((state) => (state.ok ? [[state.name, state] as const] : [])),
  );
  const { entry } = outline;
  const from = entry.ok ? [entry.name] : [];
  const declared = levelsOf(states, from);
  const reached = statesOf(declared);
  const others = [...visited].filter((name) => states.has(name) && !reached.has(name));
  const levels = others.length === 0 ? declared : levelsOf(states, [...from, ...others]);
  const drawing = new Drawing(outline, reached, levels);
  for (const name of statesOf(levels)) {
    drawing.state(name);
    const state = states.get(name);
    if (state !== undefined) drawing.drawMoves(state);
  }
  for (const { name } of outline.states) drawing.state(name);
  return drawing.graph();
}

function statesOf(levels: readonly Level[]): ReadonlySet<StateName> {
  return new Set(levels.flatMap((level) => [...level.states]));
}

const PLAIN_NODE = {
  ...{ state: null, notes: [], entry: false, gate: false },
  ...{ reached: true, problem: null, visited: null },
} as const;

/** If a called level has more returns, they are drawn as one edge from its first state. */
const MOST_RETURNS = 60;

/** Collects the nodes and edges of a graph. Methods that name a node add it if necessary and return its id. */
class Drawing {
  readonly #nodes = new Map<string, Node>();
  readonly #edges = new Map<string, Edge>();
  readonly #outline: Outline;
  readonly #reached: ReadonlySet<StateName>;
  readonly #levels: readonly Level[];

  constructor(outline: Outline, reached: ReadonlySet<StateName>, levels: readonly Level[]) {
    this.#outline = outline;
    this.#reached = reached;
    this.#levels = levels;
  }

  graph(): Graph {
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }

  state(name: StateName): string {
    if (this.#nodes.has(name)) return name;
    const { states, entry } = this.#outline;
    const found = states.find((one) => one.name === name);
    return this.#node({
      ...PLAIN_NODE,
      id: name,
      kind: stateKind(name),
      label: stemOf(name),
      state: name,
      entry: entry.ok && entry.name === name,
      notes: found?.ok === true ? notesOf(found.file) : [],
      reached: this.#reached.has(name),
      problem: found?.problem?.message ?? null,
    });
  }

  drawMoves(state: ReadState): void {
    const from = this.state(state.name);
    for (const [index, move] of shownMoves(state)) {
      this.#drawMove(withQuestion(move, state), from, `${state.name} ${String(index)}`);
    }
  }

  #node(node: Node): string {
    if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
    return node.id;
  }

  #other(kind: "question" | "workflow" | "open", label: string, key = label): string {
    return this.#node({ ...PLAIN_NODE, id: `${kind}:${key}`, kind, label });
  }

  #destination({ written, state, fault }: Destination): string {
    if (state !== null) return this.state(state);
    if (written === null) return this.#other("open", "…");
    const problem = fault?.message ?? null;
    const id = `missing:${written}`;
    return this.#node({ ...PLAIN_NODE, id, kind: "missing", label: written, problem });
  }

  #edge(
    kind: EdgeKind,
    from: string,
    to: string,
    label: string,
    { origin }: OutlinedMove,
    also: readonly StateName[] = [],
  ): void {
    const key = JSON.stringify([kind, from, to]);
    const empty = { kind, from, to, labels: [], mentioned: false, also, times: null };
    const known = this.#edges.get(key) ?? empty;
    const labels = known.labels.includes(label) ? known.labels : [...known.labels, label];
    const mentioned = known.mentioned || origin === "mentioned";
    this.#edges.set(key, { ...known, labels, mentioned });
  }

  #drawMove(move: OutlinedMove, state: string, key: string): void {
    const gate = destinationAs(move, "verify");
    const from = gate === undefined ? state : this.#drawGate(move, state, gate);
    const label = gate === undefined ? labelOf(move) : "passes";
    const path = writtenPath(move);
    const named = destinationAs(move, "target");
    const target =
      path !== null ? this.#other("workflow", path) : named && this.#destination(named);
    const next = destinationAs(move, "next");
    switch (moveKind(move)) {
      case "way":
        if (target !== undefined) this.#edge(wayKind(move), from, target, label, move);
        break;
      case "call": {
        const back = destinationAs(move, "return");
        if (target === undefined) break;
        this.#edge("call", from, target, label, move);
        if (path === null || back === undefined) break;
        this.#edge("return", target, this.#destination(back), "result", move);
        break;
      }
      case "start":
        if (target !== undefined) this.#edge("fork", from, target, label, move);
        if (next !== undefined) this.#edge("way", from, this.#destination(next), "next", move);
        break;
      case "question": {
        const question = this.#other("question", excerpt(move.values["question"] ?? "…"), key);
        this.#edge("way", from, question, label, move);
        const answer = move.values["options"]?.replaceAll("|", " | ") ?? "answer";
        if (next !== undefined) this.#edge("way", question, this.#destination(next), answer, move);
        this.#drawTimeout(move, question);
        return;
      }
      case "end":
        this.#drawResult(move, state, from, label);
        break;
    }
    this.#drawTimeout(move, from);
  }

  #drawTimeout(move: OutlinedMove, from: string): void {
    const late = destinationAs(move, "timeout_next");
    if (late === undefined) return;
    const label = afterTime(move.values["timeout"]);
    this.#edge("diverted", from, this.#destination(late), label, move);
  }

  #drawGate(move: OutlinedMove, from: string, gate: Destination): string {
    if (gate.state === null) return this.#destination(gate);
    const id = this.state(gate.state);
    const node = this.#nodes.get(id);
    if (node !== undefined) this.#nodes.set(id, { ...node, gate: true, reached: true });
    this.#edge("gate", from, id, labelOf(move), move);
    this.#edge("refused", id, from, "fails", move);
    const onFail = destinationAs(move, "on_fail");
    if (onFail === undefined) return id;
    const attempts = counted(move.rule?.verify?.attempts ?? 0, "time");
    this.#edge("diverted", id, this.#destination(onFail), `on_fail, after ${attempts}`, move);
    return id;
  }

  /** A result leads to where it returns, on each level of its state. */
  #drawResult(move: OutlinedMove, state: string, from: string, label: string): void {
    for (const level of this.#levels) {
      if (!level.states.has(state)) continue;
      const kind = level.kind === "worker" ? "collect" : "return";
      const [first] = level.results;
      const folded = level.results.size * level.returnsTo.size > MOST_RETURNS;
      if (folded && first !== state) continue;
      const source = folded ? this.state(level.root) : from;
      const also = folded ? [...level.results].filter((name) => name !== source) : [];
      for (const name of level.returnsTo)
        this.#edge(kind, source, this.state(name), label, move, also);
      if (level.returnsTo.size > 0 || level.kind === "called") continue;
      this.#edge("way", from, this.#node(endNode(level.kind === "worker")), label, move);
    }
  }
}

/** Adds the question of a tag in the text to a rule that leaves it open. */
function withQuestion(move: OutlinedMove, { moves }: ReadState): OutlinedMove {
  if (moveKind(move) !== "question" || move.values["question"] !== undefined) return move;
  const next = destinationAs(move, "next");
  const shown = moves.find((other) => {
    const leads = destinationAs(other, "next")?.state === next?.state;
    return other.by === move.by && other.origin === "mentioned" && leads;
  });
  return { ...move, values: { ...shown?.values, ...move.values } };
}

function wayKind({ by }: OutlinedMove): EdgeKind {
  if (by === "join") return "join";
  return by === "on_error" || by === "on_context" ? "diverted" : "way";
}

export function notesOf(file: StateFile): readonly string[] {
  const visits = file.maxVisits === null ? [] : [`${String(file.maxVisits)} visits at most`];
  switch (file.kind) {
    case "script":
      return visits;
    case "prompt": {
      const { model, effort, budgetMicroUsd: budget } = file;
      const named = [model, effort === null ? null : `${effort} effort`];
      const called = named.filter((one) => one !== null).join(", ");
      return [
        ...(called === "" ? [] : [called]),
        ...visits,
        ...(budget === null ? [] : [`${formatUsd(budget)} at most`]),
      ];
    }
  }
}
