import { useState } from "preact/hooks";
import type { FolderJson, WorkflowsJson } from "../../api.ts";
import { printRoute } from "../route.ts";
import { addressOf } from "../server.ts";
import { shownText } from "../shown-text.ts";
import { useDoer } from "../use-doer.ts";
import { useServer } from "../use-server.ts";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

interface Props {
  readonly folders: readonly FolderJson[];
  readonly onClose: () => void;
}

/** Starts a workflow, and leads to its run. */
export function StartDialog({ folders, onClose }: Props) {
  const [folder, setFolder] = useState(folders[0]?.folder ?? "");
  const [workflow, setWorkflow] = useState("");
  const [input, setInput] = useState("");
  const [budget, setBudget] = useState("");
  const [simulate, setSimulate] = useState(false);
  const known = useServer<WorkflowsJson>(`/api/folders/${encodeURIComponent(folder)}/workflows`, 0);
  const doer = useDoer(addressOf(folder), true);
  const about = known.value?.workflows.find(({ path }) => path === workflow)?.about ?? null;

  const start = async () => {
    const done = await doer.act("start", {
      workflow,
      ...(input === "" ? {} : { input }),
      ...(Number(budget) > 0 ? { budget_usd: Number(budget) } : {}),
      ...(simulate ? { simulate } : {}),
    });
    if (done === null) return;
    onClose();
    location.hash = printRoute({ view: "run", folder, run: done.workflow_id, step: null });
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
            <span>Project</span>
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
          <span>Workflow: a folder, a zip or a file, from the project's folder</span>
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
          <span>Input, where it wants one</span>
          <textarea
            rows={3}
            value={input}
            onInput={(event) => {
              setInput(event.currentTarget.value);
            }}
          />
        </label>
        <label class="field">
          <span>Budget in US dollars; empty: as it is configured</span>
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
          <span>Simulate: no model is called, and nothing is spent</span>
        </label>
        {doer.problem !== null && <Problem problem={doer.problem} />}
        <div class="row">
          <button type="button" class="push" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={doer.busy || workflow === ""}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}
