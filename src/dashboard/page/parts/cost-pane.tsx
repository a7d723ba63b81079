import { localTime } from "../../../console/local-time.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import type { RunCostJson } from "../../api.ts";
import { useResource } from "../hooks/use-resource.ts";
import type { FollowedRun } from "../hooks/use-run.ts";
import { costCurve, totalsTable } from "../model/cost.ts";
import { Resource } from "./basics.tsx";
import { FigureTable } from "./table.tsx";

const SIZE = { width: 460, height: 150 };
const [LEFT, TOP, BELOW] = [58, 12, 26];

/** Cost of a run over time, by agent and model, and by coding agent if there are several. */
export function CostPane({ run: { address, version } }: { readonly run: FollowedRun }) {
  const cost = useResource<RunCostJson>(`${address}/cost`, version);
  return (
    <div class="body">
      <Resource of={cost}>
        {(loaded) => (
          <>
            <Chart cost={loaded} />
            <FigureTable rows={totalsTable("Agent", loaded.sums.agents)} />
            <FigureTable rows={totalsTable("Model", loaded.sums.models)} />
            {Object.keys(loaded.sums.backends).length > 1 && (
              <FigureTable rows={totalsTable("Coding agent", loaded.sums.backends)} />
            )}
          </>
        )}
      </Resource>
    </div>
  );
}

function Chart({ cost }: { readonly cost: RunCostJson }) {
  const curve = costCurve(cost, SIZE);
  if (curve === null) return <p class="empty">No cost yet.</p>;
  const [width, height] = [LEFT + SIZE.width + 8, TOP + SIZE.height + BELOW];
  const total = formatUsd(toMicroUsd(cost.total_cost_usd));
  const base = TOP + SIZE.height;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${String(width)} ${String(height)}`}
      role="img"
      aria-label={`Cost over time: ${total} until ${localTime(curve.to)}`}
    >
      <g transform={`translate(${String(LEFT)} ${String(TOP)})`}>
        <path class="area" d={curve.area} />
        <path class="curve" d={curve.line} />
        {curve.budget !== null && (
          <>
            <path class="limit" d={`M0,${String(curve.budget)}H${String(SIZE.width)}`} />
            <text x={SIZE.width} y={curve.budget + 14} text-anchor="end">
              budget
            </text>
          </>
        )}
        <path class="axis" d={`M0,0V${String(SIZE.height)}H${String(SIZE.width)}`} />
      </g>
      <text x={LEFT - 6} y={TOP + 5} text-anchor="end">
        {formatUsd(toMicroUsd(curve.highestUsd))}
      </text>
      <text x={LEFT - 6} y={base} text-anchor="end">
        $0
      </text>
      <text x={LEFT} y={base + 18}>
        {localTime(curve.from)}
      </text>
      <text x={LEFT + SIZE.width} y={base + 18} text-anchor="end">
        {localTime(curve.to)}
      </text>
    </svg>
  );
}
