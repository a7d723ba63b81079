import { Dialog } from "./dialog.tsx";

const KEYS = [
  ["?", "show this help"],
  ["/", "filter the runs"],
  ["n", "start a workflow (needs --allow-control)"],
  ["u", "go up: from an attempt to its run, from a run to the list"],
  ["1 2 3 4", "show attempts, agents, states or cost of a run"],
  ["5", "show changes of a rerun"],
  ["a", "go to the first question"],
  ["l", "go to the list"],
  ["↑ ↓ j k", "move in the list; also Page Up, Page Down, Home, End"],
  ["Enter", "open the row"],
  ["Ctrl Enter", "send the answer"],
  ["Esc", "close the dialog"],
] as const;

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
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
