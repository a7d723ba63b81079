import { formatActor } from "../../../console/format/format-actor.ts";
import { localTime } from "../../../console/local-time.ts";
import { actorOf } from "../../../log/codec/event-values.ts";
import type { OverviewJson } from "../../api.ts";
import { Table } from "./table.tsx";

/** Who started, controlled and changed the run. */
export function CommandPane({ overview: { commands } }: { readonly overview: OverviewJson }) {
  if (commands === null) return <p class="empty">The event log is not available.</p>;
  return (
    <div class="body wide">
      <Table class="costs" columns={["At", "Command", "By", "Agent", "Detail"]}>
        {commands.toReversed().map(({ at, action, actor, agent, detail }, index) => (
          <tr key={index}>
            <td>{localTime(Date.parse(at))}</td>
            <td>{action}</td>
            <td>{formatActor(actorOf(actor))}</td>
            <td>{agent ?? ""}</td>
            <td>{detail ?? ""}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
