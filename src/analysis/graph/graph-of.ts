import { counted } from "../../language/basics/counted.ts";
import { formatUsd } from "../../language/basics/money.ts";
import type {
  Destination,
  Outline,
  OutlinedMove,
  ReadState,
} from "../../language/outline/outline.ts";
import { isOpen, possibleMoves } from "../../language/outline/reach.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { destinationAs, flowOf, waitsForWorkers, workflowIn } from "./flow.ts";
import type { Edge, EdgeKind, Graph, Node } from "./graph.ts";
import { afterTime, labelOf } from "./label.ts";
import { type Level, levelsOf } from "./levels.ts";
import { endNode } from "./undeclared.ts";

/** The picture of a workflow, from its outline; also of states that only a run has come to, which are named. */
export function graphOf(outline: Outline, visited: Iterable<StateName> = []): Graph {
  const states = new Map(
    outline.states.flatMap((state) => (state.ok ? [[state.name, state] as const] : [])),
  );
  const { entry } = outline;
  const from = entry.ok ? [entry.name] : [];
  const declared = levelsOf(states, from);
  const reached = statesOf(declared);
  const draft = newDraft(outline, reached, entry.ok ? entry.name : null);
  const others = [...visited].filter((name) => states.has(name) && !reached.has(name));
  const levels = others.length === 0 ? declared : levelsOf(states, [...from, ...others]);
  for (const name of statesOf(levels)) {
    draft.state(name);
    const state = states.get(name);
    if (state !== undefined) drawMoves(state, levels, draft);
  }
  for (const { name } of outline.states) draft.state(name);
  return { nodes: draft.nodes(), edges: draft.edges() };
}

function statesOf(levels: readonly Level[]): ReadonlySet<StateName> {
  return new Set(levels.flatMap((level) => [...level.states]));
}

/** What is drawn so far. */
interface Draft {
  /** The node of a state; draws it where it is not there yet. */
  state(name: StateName): string;
  gate(name: StateName): string;
  /** The node of a state that a move names, or of what stands in its place. */
  destination(named: Destination): string;
  end(worker: boolean): string;
  other(kind: "question" | "workflow" | "open", label: string, key?: string): string;
  edge(
    kind: EdgeKind,
    from: string,
    to: string,
    label: string,
    move: OutlinedMove,
    also?: readonly StateName[],
  ): void;
  nodes(): readonly Node[];
  edges(): readonly Edge[];
}

function drawMoves(state: ReadState, levels: readonly Level[], draft: Draft): void {
  const from = draft.state(state.name);
  const moves = possibleMoves(state);
  const filled = new Set(moves.flatMap(({ by, origin }) => (origin === "mentioned" ? [by] : [])));
  for (const [index, move] of moves.entries()) {
    // What a rule leaves open, the text fills in.
    if (move.origin === "declared" && isOpen(move) && filled.has(move.by)) continue;
    drawMove(asked(move, state), from, `${state.name} ${String(index)}`, levels, draft);
  }
}

/** A rule leaves the question open; the text may show one with the same way on. */
function asked(move: OutlinedMove, { moves }: ReadState): OutlinedMove {
  const next = destinationAs(move, "next");
  if (flowOf(move.by) !== "question" || move.values["question"] !== undefined) return move;
  const shown = moves.find((other) => {
    const leads = destinationAs(other, "next")?.state === next?.state;
    return other.by === move.by && other.origin === "mentioned" && leads;
  });
  return { ...move, values: { ...shown?.values, ...move.values } };
}

function drawMove(
  move: OutlinedMove,
  state: string,
  key: string,
  levels: readonly Level[],
  draft: Draft,
): void {
  const flow = flowOf(move.by);
  const gate = destinationAs(move, "verify");
  const label = labelOf(move);
  const from = gate === undefined ? state : drawGate(move, state, gate, draft);
  /** Behind a gate it has been said already what the agent wants. */
  const first = gate === undefined ? label : "passes";
  const target = targetOf(move, draft);
  const back = destinationAs(move, "return");
  const next = destinationAs(move, "next");
  switch (flow) {
    case "way":
      if (target !== null) draft.edge(wayKind(move), from, target, first, move);
      break;
    case "call":
      if (target !== null) draft.edge("call", from, target, first, move);
      if (
        back !== undefined &&
        destinationAs(move, "target")?.state === undefined &&
        target !== null
      ) {
        draft.edge("return", target, draft.destination(back), "result", move);
      }
      break;
    case "start":
      if (target !== null) draft.edge("fork", from, target, first, move);
      if (next !== undefined) draft.edge("way", from, draft.destination(next), "next", move);
      break;
    case "question": {
      const asked = draft.other("question", excerpt(move.values["question"] ?? "…"), key);
      draft.edge("way", from, asked, first, move);
      const answer = move.values["options"]?.replaceAll("|", " | ") ?? "answer";
      if (next !== undefined) draft.edge("way", asked, draft.destination(next), answer, move);
      drawTimeout(move, asked, draft);
      return;
    }
    case "end":
      drawResult(move, state, from, gate === undefined ? label : "passes", levels, draft);
      break;
  }
  drawTimeout(move, from, draft);
}

function wayKind({ by }: OutlinedMove): EdgeKind {
  if (waitsForWorkers(by)) return "join";
  return by === "on_error" || by === "on_context" ? "diverted" : "way";
}

/** Null for a tag that leads to no state, such as a result. */
function targetOf(move: OutlinedMove, draft: Draft): string | null {
  const path = workflowIn(move);
  if (path !== null) return draft.other("workflow", path);
  const target = destinationAs(move, "target");
  return target === undefined ? null : draft.destination(target);
}

function drawTimeout(move: OutlinedMove, from: string, draft: Draft): void {
  const late = destinationAs(move, "timeout_next");
  if (late === undefined) return;
  draft.edge("diverted", from, draft.destination(late), afterTime(move.values["timeout"]), move);
}

/** What a rule lets through only by its gate. */
function drawGate(move: OutlinedMove, from: string, gate: Destination, draft: Draft): string {
  if (gate.state === null) return draft.destination(gate);
  const node = draft.gate(gate.state);
  draft.edge("gate", from, node, labelOf(move), move);
  draft.edge("refused", node, from, "fails", move);
  const giveUp = destinationAs(move, "on_fail");
  const attempts = move.rule?.verify?.attempts ?? 0;
  if (giveUp !== undefined) {
    draft.edge(
      "diverted",
      node,
      draft.destination(giveUp),
      `on_fail, after ${counted(attempts, "time")}`,
      move,
    );
  }
  return node;
}

/** A result goes to whoever hears it, on each level of which the state is part. */
function drawResult(
  move: OutlinedMove,
  state: string,
  from: string,
  label: string,
  levels: readonly Level[],
  draft: Draft,
): void {
  for (const level of levels) {
    if (!level.states.has(state)) continue;
    const kind = level.kind === "worker" ? "collect" : "return";
    const [first] = level.results;
    const folded = level.results.size * level.returnsTo.size > MOST_RETURNS;
    if (folded && first !== state) continue;
    const giver = folded ? draft.state(level.root) : from;
    const also = folded ? [...level.results].filter((name) => name !== giver) : [];
    for (const name of level.returnsTo)
      draft.edge(kind, giver, draft.state(name), label, move, also);
    if (level.returnsTo.size > 0 || level.kind === "called") continue;
    draft.edge("way", from, draft.end(level.kind === "worker"), label, move);
  }
}

/** Where more lines would lead back from what was called, one leads back from where it begins. */
const MOST_RETURNS = 60;

function newDraft(
  outline: Outline,
  reached: ReadonlySet<StateName>,
  entry: StateName | null,
): Draft {
  const nodes = new Map<string, Node>();
  const edges = new Map<string, Edge>();
  const plain = {
    ...{ state: null, notes: [], entry: false, gate: false },
    ...{ reached: true, problem: null, visited: null },
  } as const;
  const put = (node: Node): string => {
    if (!nodes.has(node.id)) nodes.set(node.id, node);
    return node.id;
  };
  const other: Draft["other"] = (kind, label, key = label) => {
    return put({ ...plain, id: `${kind}:${key}`, kind, label });
  };
  const state: Draft["state"] = (name) => {
    if (nodes.has(name)) return name;
    const found = outline.states.find((one) => one.name === name);
    const kind = found?.ok === true ? found.file.kind : name.endsWith(".md") ? "prompt" : "script";
    return put({
      ...{ ...plain, id: name, kind, label: stemOf(name), state: name, entry: name === entry },
      notes: found?.ok === true ? notesOf(found.file) : [],
      reached: reached.has(name),
      problem: found?.problem?.message ?? null,
    });
  };
  return {
    state,
    other,
    end: (worker) => put(endNode(worker)),
    gate: (name) => {
      const id = state(name);
      const node = nodes.get(id);
      if (node !== undefined) nodes.set(id, { ...node, gate: true, reached: true });
      return id;
    },
    destination: ({ written, state: name, fault }) => {
      if (name !== null) return state(name);
      if (written === null) return other("open", "…");
      return put({
        ...{ ...plain, id: `missing:${written}`, kind: "missing", label: written },
        problem: fault?.message ?? null,
      });
    },
    edge: (kind, from, to, label, move, also = []) => {
      const key = JSON.stringify([kind, from, to]);
      const empty = { kind, from, to, labels: [], mentioned: false, also, times: null };
      const known = edges.get(key) ?? empty;
      const labels = known.labels.includes(label) ? known.labels : [...known.labels, label];
      const mentioned = known.mentioned || move.origin === "mentioned";
      edges.set(key, { ...known, labels, mentioned });
    },
    nodes: () => [...nodes.values()],
    edges: () => [...edges.values()],
  };
}

/** What a picture says of a state besides its name: who answers, and what bounds it. */
export function notesOf(file: StateFile): readonly string[] {
  const visits = file.maxVisits === null ? [] : [`${String(file.maxVisits)} visits at most`];
  switch (file.kind) {
    case "script":
      return visits;
    case "prompt": {
      const { model, effort, budgetMicroUsd: budget } = file;
      const answers = [model, effort === null ? null : `${effort} effort`];
      const said = answers.filter((one) => one !== null).join(", ");
      return [
        ...(said === "" ? [] : [said]),
        ...visits,
        ...(budget === null ? [] : [`${formatUsd(budget)} at most`]),
      ];
    }
  }
}
