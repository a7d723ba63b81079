import { useState } from "preact/hooks";
import type { Actions, FleetJson, FolderJson, WorkflowsJson } from "../../api.ts";
import { navigate } from "../hooks/browser.ts";
import { useActions } from "../hooks/use-actions.ts";
import { useResource } from "../hooks/use-resource.ts";
import { runRoute } from "../route.ts";
import { addressOf } from "../server.ts";
import { Dialog, Field, Options, Problem, withValue } from "./basics.tsx";

interface Props {
  readonly folders: readonly FolderJson[];
  readonly onClose: () => void;
}

export function StartDialog({ folders, onClose }: Props) {
  const [folder, setFolder] = useState(folders[0]?.folder ?? "");
  const actions = useActions(addressOf(folder), true, null);
  const of = folders.find((each) => each.folder === folder);
  const start = async (form: FormData) => {
    const started = await actions.run("start", bodyOf(form));
    if (started === null) return;
    onClose();
    navigate(runRoute(folder, started.workflow_id));
  };
  return (
    <Dialog title="Start a workflow" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start(new FormData(event.currentTarget));
        }}
      >
        {folders.length > 1 && (
          <Field label="Project or fleet">
            <select value={folder} onChange={withValue(setFolder)}>
              <Options of={folders.map((each) => [each.folder, each.project])} />
            </select>
          </Field>
        )}
        <WorkflowField folder={folder} startsIn={of?.starts_in ?? ""} />
        <Field label="Input (optional)">
          <textarea name="input" rows={3} />
        </Field>
        <Field label="Budget in US dollars (default: from the configuration)">
          <input name="budget" type="number" min="0" step="any" />
        </Field>
        <label class="row">
          <input name="simulate" type="checkbox" />
          <span>Simulate: no model calls, no cost</span>
        </label>
        {of?.fleet != null && <FleetFields fleet={of.fleet} />}
        {actions.problem !== null && <Problem problem={actions.problem} />}
        <div class="row">
          <button type="button" class="push" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={actions.busy}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function bodyOf(form: FormData): Actions["start"] {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    workflow: text("workflow") ?? "",
    input: text("input"),
    budget_usd: Number(text("budget") ?? 0) || undefined,
    simulate: form.has("simulate") || undefined,
    pool: text("pool"),
    account: text("account"),
  };
}

interface WorkflowFieldProps {
  readonly folder: string;
  readonly startsIn: string;
}

function WorkflowField({ folder, startsIn }: WorkflowFieldProps) {
  const [entered, setEntered] = useState("");
  const address = `/api/folders/${encodeURIComponent(folder)}/workflows`;
  const workflows = useResource<WorkflowsJson>(address, 0).value?.workflows ?? [];
  const about = workflows.find(({ path }) => path === entered)?.about ?? null;
  return (
    <>
      <Field label={`Workflow: path of a folder, zip or file in ${startsIn}`}>
        <input
          name="workflow"
          list="workflows"
          required
          value={entered}
          onInput={withValue(setEntered)}
        />
      </Field>
      <datalist id="workflows">
        <Options of={workflows.map(({ path }) => [path, ""])} />
      </datalist>
      {about !== null && <p class="dim">{about}</p>}
    </>
  );
}

function FleetFields({ fleet: { machines, accounts } }: { readonly fleet: FleetJson }) {
  const pools = new Set(machines.flatMap((machine) => machine.pools));
  const names = accounts.map(({ account }) => [account, account] as const);
  return (
    <>
      <Field label="Worker pool (default: default)">
        <input name="pool" list="pools" />
      </Field>
      <datalist id="pools">
        <Options of={[...pools].toSorted().map((pool) => [pool, ""])} />
      </datalist>
      {names.length > 0 && (
        <Field label="Account">
          <select name="account">
            <Options of={[["", "default of the worker"], ...names]} />
          </select>
        </Field>
      )}
      <p class="dim">
        The run gets its own workspace on the machine that claims it. For a shared folder, a git
        clone or a start time, use <code>raymond submit</code>.
      </p>
    </>
  );
}
