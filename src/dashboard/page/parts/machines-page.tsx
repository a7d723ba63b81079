import { useEffect } from "preact/hooks";
import type { FleetJson } from "../../api.ts";
import { printRoute, runRoute } from "../route.ts";
import { accountRow } from "../rows/account-rows.ts";
import { machineRow } from "../rows/machine-rows.ts";
import { queueRow } from "../rows/queue-rows.ts";
import { scheduleRow } from "../rows/schedule-rows.ts";
import { shownText } from "../rows/shown-text.ts";
import { ShareBar } from "./share-bar.tsx";
import { LookBadge } from "./status.tsx";
import { TablePanel } from "./table-panel.tsx";

interface Props {
  /** `FolderJson.folder` of the fleet. */
  readonly folder: string;
  readonly fleet: FleetJson;
  readonly now: number;
}

/** Machines, queues, accounts and schedules of a fleet. */
export function MachinesPage({ folder, fleet, now }: Props) {
  useEffect(() => {
    document.title = "Machines · raymond";
  }, []);
  const linkTo = (run: string) => <RunLink key={run} folder={folder} run={run} />;
  return (
    <>
      <TablePanel
        title="Machines"
        level={1}
        columns={["Machine", "State", "Active runs", "Pools", "Accounts", "Version"]}
        empty="No machines yet. Start a worker on a machine with: raymond worker"
        rows={fleet.machines.map((machine) => {
          const row = machineRow(machine, now);
          return (
            <tr key={row.id}>
              <Name name={row.id} more="" />
              <td>
                <LookBadge look={row.look} />
              </td>
              <td class="number">
                {row.slots}
                {row.waiting !== "" && <span class="dim"> · {row.waiting}</span>}
              </td>
              <td>{row.pools}</td>
              <td>{row.accounts}</td>
              <td class="number dim">{row.version}</td>
            </tr>
          );
        })}
      />
      <TablePanel
        title="Queues"
        level={2}
        columns={["Queue", "State", "Runs", "Oldest run"]}
        empty="No queued runs."
        rows={fleet.queues.map((queue) => {
          const row = queueRow(queue);
          return (
            <tr key={`${row.name} ${row.account}`}>
              <Name name={row.name} more={row.account} />
              <td>
                <LookBadge look={row.look} />
              </td>
              <td class="number">
                {row.runs}
                {row.later !== "" && <span class="dim"> · {row.later}</span>}
              </td>
              <td data-label="oldest">{linkTo(row.first)}</td>
            </tr>
          );
        })}
      />
      <TablePanel
        title="Accounts"
        level={2}
        columns={["Account", "State", "Runs", "Started", "Clients", "Today", "Waiting"]}
        empty="No accounts yet. Define them in the accounts.toml of a worker."
        rows={fleet.accounts.map((account) => {
          const row = accountRow(account, now);
          return (
            <tr key={row.name}>
              <Name name={row.name} more="" />
              <td>
                <LookBadge look={row.look} />
              </td>
              {row.figures.map(({ label, text, share }) => (
                <td key={label} class="number" data-label={label.toLowerCase()}>
                  {text}
                  <ShareBar share={share} />
                </td>
              ))}
              <td class="waits">
                {row.blocked !== "" && <div>{row.blocked}</div>}
                {row.waiting !== "" && (
                  <div class="row">
                    {row.waiting}: {row.waiters.map(linkTo)}
                  </div>
                )}
              </td>
            </tr>
          );
        })}
      />
      <TablePanel
        title="Schedules"
        level={2}
        columns={["Schedule", "Next run", "Cron", "Last run"]}
        empty="No schedules. Create one with: raymond submit WORKFLOW --every CRON"
        rows={fleet.schedules.map((schedule) => {
          const row = scheduleRow(schedule, now);
          return (
            <tr key={row.name}>
              <Name name={row.name} more={row.workflow} />
              <td title={row.exactly}>
                <LookBadge look={row.look} />
              </td>
              <td>
                <code>{row.cron}</code> <span class="dim">{row.zone}</span>
              </td>
              <td data-label={row.lastRun === null ? undefined : "last"}>
                {row.lastRun === null ? "" : linkTo(row.lastRun)}{" "}
                <span class="dim">{row.lastRun === null ? "no run yet" : row.lastWhen}</span>
              </td>
            </tr>
          );
        })}
      />
    </>
  );
}

function Name({ name, more }: { readonly name: string; readonly more: string }) {
  return (
    <td class="name">
      <strong>{name}</strong>
      {more !== "" && <div class="dim">{more}</div>}
    </td>
  );
}

function RunLink({ folder, run }: { readonly folder: string; readonly run: string }) {
  return <a href={printRoute(runRoute(folder, run))}>{shownText(run)}</a>;
}
