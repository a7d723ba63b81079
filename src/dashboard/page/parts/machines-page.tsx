import { useEffect } from "preact/hooks";
import { accountCells } from "../../../console/format/account-cells.ts";
import { localMoment, localTime } from "../../../console/local-time.ts";
import type { AccountJson, ScheduleJson } from "../../../inspect/json/shapes.ts";
import { counted } from "../../../language/basics/counted.ts";
import type { FleetJson, ListedMachineJson, QueueJson } from "../../api.ts";
import { useNow } from "../hooks/browser.ts";
import { accountBadge, machineBadge, queueBadge, scheduleBadge } from "../model/fleet.ts";
import { baseName } from "../model/runs.ts";
import { printRoute, runRoute } from "../route.ts";
import { ShareBar, StatusBadge } from "./basics.tsx";
import { TablePanel } from "./table.tsx";

interface Props {
  /** `FolderJson.folder` of the fleet. */
  readonly folder: string;
  readonly fleet: FleetJson;
}

/** Machines, queues, accounts and schedules of a fleet. */
export function MachinesPage({ folder, fleet }: Props) {
  useEffect(() => {
    document.title = "Machines · raymond";
  }, []);
  return (
    <>
      <TablePanel
        title="Machines"
        level={1}
        columns={["Machine", "State", "Active runs", "Pools", "Accounts", "Version"]}
        empty="No machines yet. Start a worker on a machine with: raymond worker"
        rows={fleet.machines.map((machine) => <MachineRow key={machine.id} machine={machine} />)}
      />
      <TablePanel
        title="Queues"
        level={2}
        columns={["Queue", "State", "Runs", "Oldest run"]}
        empty="No queued runs."
        rows={fleet.queues.map((queue) => <QueueRow key={queue.first} {...{ queue, folder }} />)}
      />
      <TablePanel
        title="Accounts"
        level={2}
        columns={["Account", "State", "Runs", "Started", "Clients", "Today", "Waiting"]}
        empty="No accounts yet. Define them in the accounts.toml of a worker."
        rows={fleet.accounts.map((account) => (
          <AccountRow key={account.account} {...{ account, folder }} />
        ))}
      />
      <TablePanel
        title="Schedules"
        level={2}
        columns={["Schedule", "Next run", "Cron", "Last run"]}
        empty="No schedules. Create one with: raymond submit WORKFLOW --every CRON"
        rows={fleet.schedules.map((schedule) => (
          <ScheduleRow key={schedule.name} {...{ schedule, folder }} />
        ))}
      />
    </>
  );
}

function MachineRow({ machine }: { readonly machine: ListedMachineJson }) {
  const { id, active_runs: active, slots, runs, pools, accounts, version } = machine;
  return (
    <tr>
      <Name name={id} />
      <td>
        <StatusBadge badge={machineBadge(machine, useNow())} />
      </td>
      <td class="number">
        {active} of {counted(slots, "run")}
        {runs > active && <span class="dim"> · {counted(runs - active, "inactive run")}</span>}
      </td>
      <td>{pools.join(", ")}</td>
      <td>{accounts.join(", ")}</td>
      <td class="number dim">{version}</td>
    </tr>
  );
}

function QueueRow({ queue, folder }: { readonly queue: QueueJson; readonly folder: string }) {
  const { machine, pool, account, runs, later, first } = queue;
  return (
    <tr>
      <Name
        name={machine === null ? `pool ${pool}` : `machine ${machine}`}
        more={account === null ? "" : `account ${account}`}
      />
      <td>
        <StatusBadge badge={queueBadge(queue)} />
      </td>
      <td class="number">
        {counted(runs, "run")}
        {later > 0 && later < runs && <span class="dim"> · {later} scheduled</span>}
      </td>
      <td data-label="oldest">
        <RunLink folder={folder} run={first} />
      </td>
    </tr>
  );
}

interface AccountRowProps {
  readonly account: AccountJson;
  readonly folder: string;
}

function AccountRow({ account, folder }: AccountRowProps) {
  const { runs, rate, slots, today, blocked } = accountCells(account, useNow());
  const { waiting, waiting_runs } = account;
  const figures = [
    ["runs", runs, account.runs, account.max_runs],
    ["started", rate, account.started, account.rate?.runs ?? null],
    ["clients", slots, account.slots, account.max_slots],
    ["today", today, account.today_usd, account.per_day_usd],
  ] as const;
  return (
    <tr>
      <Name name={account.account} />
      <td>
        <StatusBadge badge={accountBadge(account, blocked)} />
      </td>
      {figures.map(([label, text, used, max]) => (
        <td key={label} class="number" data-label={label}>
          {text}
          <ShareBar used={used} max={max} />
        </td>
      ))}
      <td class="waits">
        {blocked !== "" && <div>{blocked}</div>}
        {waiting > 0 && (
          <div class="row">
            {waiting} waiting:{" "}
            {waiting_runs.map((run) => (
              <RunLink key={run} folder={folder} run={run} />
            ))}
          </div>
        )}
      </td>
    </tr>
  );
}

interface ScheduleRowProps {
  readonly schedule: ScheduleJson;
  readonly folder: string;
}

function ScheduleRow({ schedule, folder }: ScheduleRowProps) {
  const now = useNow();
  const { name, workflow, cron, time_zone, paused, next_at, last_run, last_at } = schedule;
  return (
    <tr>
      <Name name={name} more={baseName(workflow)} />
      <td title={paused ? "" : localTime(Date.parse(next_at))}>
        <StatusBadge badge={scheduleBadge(schedule, now)} />
      </td>
      <td>
        <code>{cron}</code> <span class="dim">{time_zone}</span>
      </td>
      {last_run === null ? (
        <td>
          <span class="dim">no run yet</span>
        </td>
      ) : (
        <td data-label="last">
          <RunLink folder={folder} run={last_run} />{" "}
          <span class="dim">{last_at !== null && localMoment(Date.parse(last_at), now)}</span>
        </td>
      )}
    </tr>
  );
}

function Name({ name, more = "" }: { readonly name: string; readonly more?: string }) {
  return (
    <td class="name">
      <strong>{name}</strong>
      {more !== "" && <div class="dim">{more}</div>}
    </td>
  );
}

function RunLink({ folder, run }: { readonly folder: string; readonly run: string }) {
  return <a href={printRoute(runRoute(folder, run))}>{run}</a>;
}
