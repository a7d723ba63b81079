import { useState } from "preact/hooks";
import type { FleetJson, FolderJson, WorkflowsJson } from "../../api.ts";
import { navigate } from "../hooks/browser.ts";
import { useActions } from "../hooks/use-actions.ts";
import { useResource } from "../hooks/use-resource.ts";
import { runRoute } from "../route.ts";
import { addressOf } from "../server.ts";
import { Dialog, Problem } from "./basics.tsx";
import { NumberField, SelectField, Suggestions, TextField } from "./fields.tsx";

interface Props {
  readonly folders: readonly FolderJson[];
  readonly onClose: () => void;
}

const EMPTY = { workflow: "", input: "", budget: "", simulate: false, pool: "", account: "" };

/** Starts a workflow and shows its run. */
export function StartDialog({ folders, onClose }: Props) {
  const [folder, setFolder] = useState(folders[0]?.folder ?? "");
  const [fields, setFields] = useState(EMPTY);
  const actions = useActions(addressOf(folder), true, null);
  const of = folders.find((each) => each.folder === folder);
  const fleet = of?.fleet ?? null;
  const set = (changed: Partial<typeof EMPTY>) => {
    setFields({ ...fields, ...changed });
  };
  const start = async () => {
    const { workflow, input, budget, simulate, pool, account } = fields;
    const started = await actions.run("start", {
      workflow,
      input: input || undefined,
      budget_usd: Number(budget) > 0 ? Number(budget) : undefined,
      simulate: simulate || undefined,
      pool: (fleet && pool) || undefined,
      account: (fleet && account) || undefined,
    });
    if (started === null) return;
    onClose();
    navigate(runRoute(folder, started.workflow_id));
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
          <SelectField
            label="Project or fleet"
            value={folder}
            options={folders.map((each) => [each.folder, each.project])}
            onValue={setFolder}
          />
        )}
        <WorkflowFields {...{ folder, startsIn: of?.starts_in ?? "", fields, set }} />
        {fleet !== null && <FleetFields {...{ fleet, fields, set }} />}
        {actions.problem !== null && <Problem problem={actions.problem} />}
        <div class="row">
          <button type="button" class="push" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={actions.busy || fields.workflow === ""}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  readonly fields: typeof EMPTY;
  readonly set: (changed: Partial<typeof EMPTY>) => void;
}

interface WorkflowFieldsProps extends FieldsProps {
  readonly folder: string;
  readonly startsIn: string;
}

function WorkflowFields({ folder, startsIn, fields, set }: WorkflowFieldsProps) {
  const address = `/api/folders/${encodeURIComponent(folder)}/workflows`;
  const workflows = useResource<WorkflowsJson>(address, 0).value?.workflows ?? [];
  const about = workflows.find(({ path }) => path === fields.workflow)?.about ?? null;
  return (
    <>
      <TextField
        label={`Workflow: path of a folder, zip or file in ${startsIn}`}
        list="workflows"
        required
        value={fields.workflow}
        onText={(workflow) => {
          set({ workflow });
        }}
      />
      <Suggestions id="workflows" values={workflows.map(({ path }) => path)} />
      {about !== null && <p class="dim">{about}</p>}
      <label class="field">
        <span>Input (optional)</span>
        <textarea
          rows={3}
          value={fields.input}
          onInput={(event) => {
            set({ input: event.currentTarget.value });
          }}
        />
      </label>
      <NumberField
        label="Budget in US dollars (default: from the configuration)"
        value={fields.budget}
        onText={(budget) => {
          set({ budget });
        }}
      />
      <label class="row">
        <input
          type="checkbox"
          checked={fields.simulate}
          onChange={(event) => {
            set({ simulate: event.currentTarget.checked });
          }}
        />
        <span>Simulate: no model calls, no cost</span>
      </label>
    </>
  );
}

/** Pool and account of a run in a fleet. */
function FleetFields({ fleet, fields, set }: FieldsProps & { readonly fleet: FleetJson }) {
  const pools = [...new Set(fleet.machines.flatMap((machine) => machine.pools))].toSorted();
  const accounts = fleet.accounts.map(({ account }) => [account, account] as const);
  return (
    <>
      <TextField
        label="Worker pool (default: default)"
        list="pools"
        value={fields.pool}
        onText={(pool) => {
          set({ pool });
        }}
      />
      <Suggestions id="pools" values={pools} />
      {accounts.length > 0 && (
        <SelectField
          label="Account"
          value={fields.account}
          options={[["", "default of the worker"], ...accounts]}
          onValue={(account) => {
            set({ account });
          }}
        />
      )}
      <p class="dim">
        The run gets its own workspace on the machine that claims it. For a shared folder, a git
        clone or a start time, use <code>raymond submit</code>.
      </p>
    </>
  );
}
