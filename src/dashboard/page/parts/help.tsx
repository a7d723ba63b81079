import { Dialog } from "./dialog.tsx";

const KEYS = [
  ["?", "this help"],
  ["/", "filter the runs"],
  ["n", "start a workflow, where that is allowed"],
  ["u", "up: from a step to its run, from a run to all runs"],
  ["1 2 3 4", "steps, agents, states, cost of a run"],
  ["5", "changes, of a rerun"],
  ["a", "to the first question"],
  ["l", "into the list"],
  ["↑ ↓ j k", "move in a list; Page Up, Page Down, Home, End too"],
  ["Enter", "open the row"],
  ["Ctrl Enter", "send the answer"],
  ["Esc", "close a window"],
] as const;

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <div class="row">
          <button type="submit" class="push">
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}
