import { useState } from "preact/hooks";
import type { FleetJson, FolderJson, WorkflowsJson } from "../../api.ts";
import { useActions } from "../hooks/use-actions.ts";
import { useResource } from "../hooks/use-resource.ts";
import { navigate } from "../navigation.ts";
import { runRoute } from "../route.ts";
import { shownText } from "../rows/shown-text.ts";
import { addressOf } from "../server.ts";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

interface Props {
  readonly folders: readonly FolderJson[];
  readonly onClose: () => void;
}

/** Starts a workflow and shows its run. */
export function StartDialog({ folders, onClose }: Props) {
  const [folder, setFolder] = useState(folders[0]?.folder ?? "");
  const [workflow, setWorkflow] = useState("");
  const [input, setInput] = useState("");
  const [budget, setBudget] = useState("");
  const [simulate, setSimulate] = useState(false);
  const known = useResource<WorkflowsJson>(
    `/api/folders/${encodeURIComponent(folder)}/workflows`,
    0,
  );
  const actions = useActions(addressOf(folder), true, null);
  const [pool, setPool] = useState("");
  const [account, setAccount] = useState("");
  const of = folders.find((each) => each.folder === folder);
  const fleet = of?.fleet ?? null;
  const about = known.value?.workflows.find(({ path }) => path === workflow)?.about ?? null;

  const start = async () => {
    const done = await actions.run("start", {
      workflow,
      ...(input === "" ? {} : { input }),
      ...(Number(budget) > 0 ? { budget_usd: Number(budget) } : {}),
      ...(simulate ? { simulate } : {}),
      ...(fleet === null || pool === "" ? {} : { pool }),
      ...(fleet === null || account === "" ? {} : { account }),
    });
    if (done === null) return;
    onClose();
    navigate(runRoute(folder, done.workflow_id));
  };

  return (
    <Dialog title="Start a workflow" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        {folders.length > 1 && (
          <label class="field">
            <span>Project or fleet</span>
            <select
              value={folder}
              onChange={(event) => {
                setFolder(event.currentTarget.value);
              }}
            >
              {folders.map((each) => (
                <option key={each.folder} value={each.folder}>
                  {shownText(each.project)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label class="field">
          <span>Workflow: path of a folder, zip or file in {shownText(of?.starts_in ?? "")}</span>
          <input
            list="workflows"
            required
            value={workflow}
            onInput={(event) => {
              setWorkflow(event.currentTarget.value);
            }}
          />
        </label>
        <datalist id="workflows">
          {known.value?.workflows.map(({ path }) => (
            <option key={path} value={path} />
          ))}
        </datalist>
        {about !== null && <p class="dim">{shownText(about)}</p>}
        <label class="field">
          <span>Input (optional)</span>
          <textarea
            rows={3}
            value={input}
            onInput={(event) => {
              setInput(event.currentTarget.value);
            }}
          />
        </label>
        <label class="field">
          <span>Budget in US dollars (default: from the configuration)</span>
          <input
            type="number"
            min="0"
            step="any"
            value={budget}
            onInput={(event) => {
              setBudget(event.currentTarget.value);
            }}
          />
        </label>
        <label class="row">
          <input
            type="checkbox"
            checked={simulate}
            onChange={(event) => {
              setSimulate(event.currentTarget.checked);
            }}
          />
          <span>Simulate: no model calls, no cost</span>
        </label>
        {fleet !== null && <FleetFields {...{ fleet, pool, setPool, account, setAccount }} />}
        {actions.problem !== null && <Problem problem={actions.problem} />}
        <div class="row">
          <button type="button" class="push" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={actions.busy || workflow === ""}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FleetFieldsProps {
  readonly fleet: FleetJson;
  readonly pool: string;
  readonly setPool: (pool: string) => void;
  readonly account: string;
  readonly setAccount: (account: string) => void;
}

/** Pool and account of a run in a fleet. */
function FleetFields({ fleet, pool, setPool, account, setAccount }: FleetFieldsProps) {
  const pools = [...new Set(fleet.machines.flatMap((machine) => machine.pools))].toSorted();
  return (
    <>
      <label class="field">
        <span>Worker pool (default: default)</span>
        <input
          list="pools"
          value={pool}
          onInput={(event) => {
            setPool(event.currentTarget.value);
          }}
        />
      </label>
      <datalist id="pools">
        {pools.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {fleet.accounts.length > 0 && (
        <label class="field">
          <span>Account</span>
          <select
            value={account}
            onChange={(event) => {
              setAccount(event.currentTarget.value);
            }}
          >
            <option value="">default of the worker</option>
            {fleet.accounts.map((each) => (
              <option key={each.account} value={each.account}>
                {shownText(each.account)}
              </option>
            ))}
          </select>
        </label>
      )}
      <p class="dim">
        The run gets its own workspace on the machine that claims it. For a shared folder, a git
        clone or a start time, use <code>raymond submit</code>.
      </p>
    </>
  );
}
