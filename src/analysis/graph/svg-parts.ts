import type { Box, Point } from "./layout.ts";
import type { NodeShape, NodeStyle } from "./styles.ts";

/** The shape of a node. The entry state has a thicker outline. */
export function shapeOf(
  drawn: NodeShape,
  at: Point,
  box: Box,
  look: NodeStyle,
  entry: boolean,
): string {
  const dash = look.dashed ? ' stroke-dasharray="4 3"' : "";
  const paint = `fill="${look.fill}" stroke="${look.stroke}" stroke-width="${entry ? "2.6" : "1.4"}"${dash}`;
  const shape = silhouetteOf(drawn, at, box);
  switch (shape.kind) {
    case "rect": {
      const { left, top, width, height, radius, bars } = shape;
      const rect = `<rect x="${num(left)}" y="${num(top)}" width="${num(width)}" height="${num(height)}" rx="${num(radius)}" ${paint}/>`;
      return bars === null ? rect : `${rect}<path d="${bars}" stroke="${look.stroke}"/>`;
    }
    case "polygon":
      return `<polygon points="${shape.points}" ${paint}/>`;
    case "target":
      return `<circle cx="${num(at.x)}" cy="${num(at.y)}" r="10" ${paint}/><circle cx="${num(at.x)}" cy="${num(at.y)}" r="5.5" fill="${look.stroke}"/>`;
  }
}

/** The shape of a node, for SVG and for the dashboard. */
export type Silhouette =
  | {
      readonly kind: "rect";
      readonly left: number;
      readonly top: number;
      readonly width: number;
      readonly height: number;
      readonly radius: number;
      /** Lines inside, as a path; null without any. */
      readonly bars: string | null;
    }
  /** `points` of SVG. */
  | { readonly kind: "polygon"; readonly points: string }
  /** Two circles around the center. */
  | { readonly kind: "target" };

export function silhouetteOf(
  drawn: NodeShape,
  { x, y }: Point,
  { width, height }: Box,
): Silhouette {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const lean = Math.min(14, height / 2);
  const rect = (radius: number, bars: string | null = null): Silhouette => {
    return { kind: "rect", left, top, width, height, radius, bars };
  };
  const polygon = (corners: readonly (readonly [number, number])[]): Silhouette => {
    return { kind: "polygon", points: corners.map(([px, py]) => pair({ x: px, y: py })).join(" ") };
  };
  switch (drawn) {
    case "prompt":
      return rect(Math.min(14, height / 3));
    case "script":
    case "missing":
    case "open":
      return rect(2);
    case "workflow":
      return rect(
        2,
        `M${num(left + 6)},${num(top)}V${num(bottom)}M${num(right - 6)},${num(top)}V${num(bottom)}`,
      );
    case "gate":
      return polygon([
        ...([
          [left, y],
          [left + lean, top],
          [right - lean, top],
        ] as const),
        ...([
          [right, y],
          [right - lean, bottom],
          [left + lean, bottom],
        ] as const),
      ]);
    case "question":
      return polygon([
        ...([
          [left + lean, top],
          [right, top],
        ] as const),
        ...([
          [right - lean, bottom],
          [left, bottom],
        ] as const),
      ]);
    case "end":
      return { kind: "target" };
  }
}

interface Writing {
  readonly size: number;
  readonly fill: string;
  readonly weight?: "bold" | "normal";
  /** A white outline, for text on lines. */
  readonly halo?: true;
  readonly anchor?: "start" | "middle";
}

export function textAt(
  { x, y }: Point,
  text: string,
  { size, fill, weight, halo, anchor = "middle" }: Writing,
): string {
  const bold = weight === "bold" ? ' font-weight="bold"' : "";
  const behind =
    halo === true
      ? ' stroke="#ffffff" stroke-width="4" paint-order="stroke" stroke-linejoin="round"'
      : "";
  // Not every renderer supports dominant-baseline.
  const baseline = y + size * 0.35;
  return `<text x="${num(x)}" y="${num(baseline)}" font-size="${String(size)}" text-anchor="${anchor}" fill="${fill}"${bold}${behind}>${escaped(text)}</text>`;
}

/** A cubic B-spline along these points. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const last = rest.at(-1) ?? first;
  if (rest.length < 2) return `M${pair(first)}L${pair(last)}`;
  let path = `M${pair(first)}`;
  const third = (a: Point, b: Point, part: number): Point => ({
    x: a.x + ((b.x - a.x) * part) / 3,
    y: a.y + ((b.y - a.y) * part) / 3,
  });
  const middle = (a: Point, b: Point, c: Point): Point => {
    return { x: (a.x + 4 * b.x + c.x) / 6, y: (a.y + 4 * b.y + c.y) / 6 };
  };
  for (let at = 0; at < points.length - 1; at += 1) {
    const [a, b, c] = [points[at] ?? first, points[at + 1] ?? last, points[at + 2] ?? last];
    const to = at === points.length - 2 ? last : middle(a, b, c);
    path += `C${pair(third(a, b, 1))} ${pair(third(a, b, 2))} ${pair(to)}`;
  }
  return path;
}

export function arrowHead(points: readonly Point[], colour: string): string {
  const corners = arrowCorners(points);
  return corners === "" ? "" : `<polygon points="${corners}" fill="${colour}"/>`;
}

/** `points` of the arrow head; empty for a line without a direction. */
export function arrowCorners(points: readonly Point[]): string {
  const end = points.at(-1);
  const before = points.findLast(
    (point) => end !== undefined && Math.hypot(point.x - end.x, point.y - end.y) > 2,
  );
  if (end === undefined || before === undefined) return "";
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const corner = (turn: number): Point => ({
    x: end.x - 9 * Math.cos(angle + turn),
    y: end.y - 9 * Math.sin(angle + turn),
  });
  return [end, corner(0.42), corner(-0.42)].map(pair).join(" ");
}

/** Rounds to one decimal, so that the output is the same on every machine. */
export function num(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function pair({ x, y }: Point): string {
  return `${num(x)},${num(y)}`;
}

/** Escapes XML, and removes characters that XML does not allow. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
