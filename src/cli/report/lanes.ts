import type { Lane, Span } from "../../console/format/lanes.ts";
import { localTime } from "../../console/local-time.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { type Html, html } from "./html.ts";

/** A time line per agent. If there are too many, those that worked longest. */
export function lanesHtml(lanes: readonly Lane[], agents: number): Html | null {
  const all = lanes.flatMap(({ spans }) => spans);
  if (all.length === 0) return null;
  const from = all.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = all.reduce((most, span) => Math.max(most, span.to), from + 1);
  const shown = busiest(lanes);
  const more = agents - shown.length;
  return html`
<p class="dim">From ${localTime(from)} to ${localTime(to)}, ${formatDuration(to - from)} in all.<span class="key">
<i class="prompt"></i>prompt<i class="script"></i>script<i class="failed"></i>failed or cut off<i class="now"></i>runs</span></p>
${shown.map((lane) => laneHtml(lane, from, to))}
<div class="lane"><span></span><div class="ticks">${[0, 0.25, 0.5, 0.75, 1].map((part) => tick(part, to - from))}</div><span></span></div>
${more <= 0 ? null : html`<p class="dim">Left out: ${counted(more, "more agent")}, which worked less, or whose steps were not read.</p>`}`;
}

const MOST_LANES = 30;

function busiest(lanes: readonly Lane[]): readonly Lane[] {
  const most = lanes.toSorted((a, b) => b.workedMs - a.workedMs).slice(0, MOST_LANES);
  return lanes.filter((lane) => most.includes(lane));
}

function tick(part: number, ms: number): Html {
  const words = part === 0 ? "0" : `+${formatDuration(part * ms)}`;
  if (part === 1) return html`<span class="last">${words}</span>`;
  return html`<span style="left:${String(part * 100)}%">${words}</span>`;
}

function laneHtml({ agent, spans, workedMs }: Lane, from: number, to: number): Html {
  const bars = barsOf(spans, from, to);
  return html`<div class="lane"><span class="who" title="${agent}">${agent}</span><svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" role="img" aria-label="${counted(spans.length, "step")} of ${agent}">${bars.map(barHtml)}</svg><span class="dim once">${formatDuration(workedMs)}</span></div>
`;
}

/** Width of the drawing, and minimum width of a bar, in its units. */
const WIDTH = 1_000;
const LEAST = 3;

interface Bar {
  readonly left: number;
  readonly right: number;
  readonly isShort: boolean;
  readonly look: string;
  readonly spans: readonly Span[];
}

/** Merges short adjacent spans into one bar, so that a lane has at most a few hundred. A failure stays visible. */
function barsOf(spans: readonly Span[], from: number, to: number): readonly Bar[] {
  const scale = WIDTH / (to - from);
  const bars: Bar[] = [];
  for (const span of spans) {
    const [left, right] = [(span.from - from) * scale, (span.to - from) * scale];
    const last = bars.at(-1);
    const free = Math.min(Math.max(left, last?.right ?? 0), WIDTH - LEAST);
    const isShort = right - left < LEAST;
    if (last === undefined || !isShort || left >= last.right) {
      bars.push({
        ...{ left: free, right: Math.max(right, free + LEAST) },
        ...{ isShort, look: lookOf(span), spans: [span] },
      });
      continue;
    }
    const look = lookOf(span) === "failed" && last.isShort ? "failed" : last.look;
    bars[bars.length - 1] = { ...last, look, spans: [...last.spans.slice(0, 1), span] };
  }
  return bars;
}

function lookOf({ end, kind }: Span): string {
  if (end === "running") return "now";
  return end === "ok" ? kind : "failed";
}

function barHtml({ left, right, look, spans }: Bar): Html {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return html``;
  const words =
    first === last
      ? `step ${String(first.step)}, ${first.state}: ${endWords(first)}`
      : `steps ${String(first.step)} to ${String(last.step)}, ${first.state} to ${last.state}`;
  return html`<rect class="${look}" x="${left.toFixed(1)}" y="0" width="${(right - left).toFixed(1)}" height="10"><title>${words}</title></rect>`;
}

function endWords({ end, from, to }: Span): string {
  switch (end) {
    case "ok":
      return formatDuration(to - from);
    case "failed":
      return `failed after ${formatDuration(to - from)}`;
    case "running":
      return `runs since ${formatDuration(to - from)}`;
    case "cut-off":
      return "was cut off";
  }
}
