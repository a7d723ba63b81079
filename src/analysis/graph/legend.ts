import type { EdgeKind, Graph } from "./graph.ts";
import { FONT, widthOf } from "./layout.ts";
import { EDGE_STYLES, NODE_STYLES, type NodeShape, nodeShapeOf } from "./styles.ts";
import { arrowHead, num, shapeOf, textAt } from "./svg-parts.ts";

/** Explains the shapes and lines that a graph uses. */
export interface Legend {
  readonly width: number;
  readonly height: number;
  readonly svg: string;
}

const NODES: Readonly<Record<NodeShape, string>> = {
  prompt: "prompt",
  script: "script",
  gate: "gate",
  question: "question",
  workflow: "another workflow",
  end: "end of the agent",
  missing: "not found",
  open: "known at run time",
};

const EDGES: Readonly<Record<EdgeKind, string>> = {
  way: "continues",
  call: "calls",
  return: "returns",
  fork: "new agent",
  join: "waits for workers",
  collect: "their results",
  gate: "must pass",
  refused: "failed",
  diverted: "otherwise",
  undeclared: "taken, not declared",
};

export function legendOf(graph: Graph): Legend {
  const drawn = new Set(graph.nodes.map(nodeShapeOf));
  const lines = new Set(graph.edges.map(({ kind }) => kind));
  const items = [
    ...keysOf(NODES).flatMap((kind) => (drawn.has(kind) ? [nodeItem(kind)] : [])),
    ...keysOf(EDGES).flatMap((kind) => (lines.has(kind) ? [edgeItem(kind)] : [])),
  ];
  let [x, y, width] = [0, 0, 0];
  const placed = items.map(({ sample, words }) => {
    const room = SAMPLE + 6 + widthOf(words, FONT.note) + 18;
    if (x + room > MOST && x > 0) [x, y] = [0, y + ROW];
    const at = { x, y: y + TOP };
    x += room;
    width = Math.max(width, x);
    const label = textAt({ x: SAMPLE + 6, y: 0 }, words, {
      size: FONT.note,
      fill: "#5f6368",
      anchor: "start",
    });
    return `<g transform="translate(${num(at.x)} ${num(at.y)})">${sample}${label}</g>`;
  });
  return { width, height: y + TOP + ROW / 2, svg: placed.join("\n") };
}

const SAMPLE = 26;
const ROW = 20;
const TOP = 28;
const MOST = 560;

function nodeItem(kind: NodeShape) {
  const box = { width: kind === "end" ? 20 : SAMPLE, height: 14 };
  return {
    sample: shapeOf(kind, { x: SAMPLE / 2, y: 0 }, box, NODE_STYLES[kind], false),
    words: NODES[kind],
  };
}

function edgeItem(kind: EdgeKind) {
  const { stroke, width, dash } = EDGE_STYLES[kind];
  const dashes = dash === null ? "" : ` stroke-dasharray="${dash}"`;
  const line = `<path d="M0,0H${num(SAMPLE - 4)}" stroke="${stroke}" stroke-width="${num(width)}"${dashes}/>`;
  const tip = arrowHead(
    [
      { x: 0, y: 0 },
      { x: SAMPLE, y: 0 },
    ],
    stroke,
  );
  return { sample: line + tip, words: EDGES[kind] };
}

function keysOf<K extends string>(table: Readonly<Record<K, string>>): readonly K[] {
  return Object.keys(table) as K[];
}
