import { captionOf, type Edge, linesOf, type Node } from "../../../analysis/graph/graph.ts";
import {
  type Box,
  type Boxes,
  FONT,
  type LaidEdge,
  type Layout,
  type Point,
} from "../../../analysis/graph/layout.ts";
import { isDimmed, nodeShapeOf } from "../../../analysis/graph/styles.ts";
import { arrowCorners, curve, num, silhouetteOf } from "../../../analysis/graph/svg-parts.ts";
import { counted } from "../../../language/basics/counted.ts";
import type { GraphJson } from "../../api.ts";
import { ACTIVITY_TEXT, type Mark } from "../model/graph-marks.ts";

interface Props {
  readonly graph: GraphJson;
  readonly boxes: Boxes;
  readonly layout: Layout;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly chosen: string | null;
  readonly onChoose: (state: string) => void;
}

const MARGIN = 18;

/** The workflow with visits, costs and agents of a run. */
export function GraphPicture({ graph, boxes, layout, marks, chosen, onChoose }: Props) {
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const edges = graph.edges.flatMap((edge, at) => {
    const laid = layout.edges[at];
    return laid === undefined ? [] : [{ edge, laid, pale: isDimmed(graph, edge) ? " pale" : "" }];
  });
  return (
    <svg
      width={num(width)}
      height={num(height)}
      viewBox={`0 0 ${num(width)} ${num(height)}`}
      role="img"
      aria-label={`Graph of the workflow ${graph.title}. The States tab has the same as text.`}
    >
      <g transform={`translate(${String(MARGIN)} ${String(MARGIN)})`}>
        {edges.map(({ edge, laid, pale }, at) => (
          <EdgeLine key={at} edge={edge} laid={laid} pale={pale} />
        ))}
        {graph.nodes.map((node, at) => {
          const [box, place] = [boxes.nodes[at], layout.nodes[at]];
          if (box === undefined || place === undefined) return null;
          const mark = marks.get(node.id);
          const look = [
            nodeShapeOf(node),
            ...(node.entry ? ["entry"] : []),
            ...(mark === undefined && isDimmed(graph, node) ? ["pale"] : []),
            ...(mark?.[0] === undefined ? [] : [mark[0].does]),
            ...(node.state !== null && node.state === chosen ? ["chosen"] : []),
          ].join(" ");
          return <NodeShape key={node.id} {...{ node, box, place, mark, look, onChoose }} />;
        })}
        {edges.map(({ edge, laid, pale }, at) => (
          <text
            key={at}
            class={`caption${pale}`}
            x={num(laid.caption.x)}
            y={num(laid.caption.y + FONT.caption * 0.35)}
            font-size={FONT.caption}
          >
            {captionOf(edge)}
          </text>
        ))}
      </g>
    </svg>
  );
}

interface EdgeProps {
  readonly edge: Edge;
  readonly laid: LaidEdge;
  readonly pale: string;
}

function EdgeLine({ edge, laid, pale }: EdgeProps) {
  // The class "gate" belongs to nodes.
  const kind = edge.kind === "gate" ? "gate-way" : edge.kind;
  return (
    <g class={`edge ${kind}${pale}`}>
      <path class="line" d={curve(laid.points)} />
      <polygon class="tip" points={arrowCorners(laid.points)} />
    </g>
  );
}

interface ShapeProps {
  readonly node: Node;
  readonly box: Box;
  readonly place: Point;
  readonly mark: Mark | undefined;
  readonly look: string;
  readonly onChoose: (state: string) => void;
}

function NodeShape({ node, box, place, mark, look, onChoose }: ShapeProps) {
  const { state } = node;
  const [label = "", ...notes] = linesOf(node);
  const top = place.y - (notes.length * FONT.line) / 2;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the States tab has the same for keyboards
    <g
      class={`node ${state === null ? "" : "link "}${look}`}
      onClick={() => {
        if (state !== null) onChoose(state);
      }}
    >
      <title>{node.problem ?? label}</title>
      <Outline node={node} box={box} place={place} />
      {node.kind !== "end" && (
        <>
          <text x={num(place.x)} y={num(top + FONT.label * 0.35)} font-size={FONT.label}>
            {label}
          </text>
          {notes.map((note, at) => (
            <text
              key={at}
              class="note"
              x={num(place.x)}
              y={num(top + (at + 1) * FONT.line + FONT.note * 0.35)}
              font-size={FONT.note}
            >
              {note}
            </text>
          ))}
        </>
      )}
      {mark !== undefined && (
        <Badges mark={mark} x={place.x + box.width / 2} y={place.y - box.height / 2} />
      )}
    </g>
  );
}

function Outline({ node, box, place }: Pick<ShapeProps, "node" | "box" | "place">) {
  const shape = silhouetteOf(nodeShapeOf(node), place, box);
  switch (shape.kind) {
    case "rect": {
      const { left, top, width, height, radius, bars } = shape;
      return (
        <>
          <rect class="shape" x={left} y={top} width={width} height={height} rx={radius} />
          {bars !== null && <path class="bars" d={bars} />}
        </>
      );
    }
    case "polygon":
      return <polygon class="shape" points={shape.points} />;
    case "target":
      return (
        <>
          <circle class="shape" cx={num(place.x)} cy={num(place.y)} r="10" />
          <circle class="dot" cx={num(place.x)} cy={num(place.y)} r="5.5" />
        </>
      );
  }
}

/** One badge for each thing that agents do there, the most urgent at the corner. */
function Badges({ mark, x, y }: { readonly mark: Mark; readonly x: number; readonly y: number }) {
  return (
    <>
      {mark.map(({ does, agents }, at) => {
        const text = does === "asks" ? "?" : does === "failed" ? "!" : String(agents.length);
        const left = x - at * 26;
        return (
          <g key={does} class={`badge ${does}`}>
            <title>{`${counted(agents.length, "agent")} ${ACTIVITY_TEXT[does]}`}</title>
            <circle cx={num(left)} cy={num(y)} r={text.length > 2 ? "14" : "10"} />
            <text x={num(left)} y={num(y + 4)} font-size="11">
              {text}
            </text>
          </g>
        );
      })}
    </>
  );
}
