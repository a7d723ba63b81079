import type { Box, Point } from "./layout.ts";
import type { Drawn, Look } from "./look.ts";

/** The outline of a node; a run's beginning has a thicker one. */
export function shapeOf(
  drawn: Drawn,
  { x, y }: Point,
  { width, height }: Box,
  look: Look,
  entry: boolean,
): string {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const lean = Math.min(14, height / 2);
  const dash = look.dashed ? ' stroke-dasharray="4 3"' : "";
  const paint = `fill="${look.fill}" stroke="${look.stroke}" stroke-width="${entry ? "2.6" : "1.4"}"${dash}`;
  const rect = (radius: number) =>
    `<rect x="${num(left)}" y="${num(top)}" width="${num(width)}" height="${num(height)}" rx="${num(radius)}" ${paint}/>`;
  const polygon = (points: readonly (readonly [number, number])[]) =>
    `<polygon points="${points.map(([px, py]) => `${num(px)},${num(py)}`).join(" ")}" ${paint}/>`;
  switch (drawn) {
    case "prompt":
      return rect(Math.min(14, height / 3));
    case "script":
    case "missing":
    case "open":
      return rect(2);
    case "workflow":
      return `${rect(2)}<path d="M${num(left + 6)},${num(top)}V${num(bottom)}M${num(right - 6)},${num(top)}V${num(bottom)}" stroke="${look.stroke}"/>`;
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
      return `<circle cx="${num(x)}" cy="${num(y)}" r="10" ${paint}/><circle cx="${num(x)}" cy="${num(y)}" r="5.5" fill="${look.stroke}"/>`;
  }
}

interface Writing {
  readonly size: number;
  readonly fill: string;
  readonly weight?: "bold" | "normal";
  /** It stands on lines, and is to be read all the same. */
  readonly halo?: true;
  readonly anchor?: "start" | "middle";
}

/** A line of text whose middle is here. */
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
  // Not every program that draws SVG knows where the middle of a letter is.
  const baseline = y + size * 0.35;
  return `<text x="${num(x)}" y="${num(baseline)}" font-size="${String(size)}" text-anchor="${anchor}" fill="${fill}"${bold}${behind}>${escaped(text)}</text>`;
}

/** A smooth line along these points, from the first to the last (a cubic B-spline). */
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

/** The tip of a line, in the direction of its end. */
export function arrowHead(points: readonly Point[], colour: string): string {
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
  return `<polygon points="${[end, corner(0.42), corner(-0.42)].map(pair).join(" ")}" fill="${colour}"/>`;
}

/** A number without digits that nobody sees, the same on every machine. */
export function num(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function pair({ x, y }: Point): string {
  return `${num(x)},${num(y)}`;
}

/** As XML wants it; what XML cannot hold is left out. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
