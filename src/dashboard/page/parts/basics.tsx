import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ProblemJson } from "../../api.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import type { Loaded } from "../hooks/use-resource.ts";
import type { Badge } from "../model/badge.ts";
import { TABS } from "../route.ts";

export function StatusBadge({ badge: { symbol, words, tone } }: { readonly badge: Badge }) {
  return (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{symbol}</span>
      {words}
    </span>
  );
}

interface ProblemProps {
  readonly problem: ProblemJson;
  readonly isStale?: boolean;
}

export function Problem({ problem: { message, hint }, isStale = false }: ProblemProps) {
  return (
    <div class={isStale ? "notice warn" : "notice bad"} role="alert">
      <p>{message}</p>
      {hint !== null && <p class="dim">{hint}</p>}
      {isStale && <p class="dim">The page shows the last known data and keeps trying.</p>}
    </div>
  );
}

interface ResourceProps<T> {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** A loaded value, and why it cannot be loaded. */
export function Resource<T>({ of: { value, problem }, children }: ResourceProps<T>) {
  return (
    <>
      {problem !== null && <Problem problem={problem} />}
      {value === null && problem === null && <p class="empty">Loading …</p>}
      {value !== null && children(value)}
    </>
  );
}

/** A usage bar, next to the figures; empty without a limit. */
export function ShareBar({ used, max }: { readonly used: number; readonly max: number | null }) {
  if (max === null || max === 0) return null;
  const share = Math.min(1, used / max);
  return (
    <div class={share >= 0.8 ? "bar full" : "bar"} role="presentation">
      <span style={{ width: `${String(Math.round(share * 100))}%` }} />
    </div>
  );
}

interface FactProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** An entry of `<dl class="facts">`. */
export function Fact({ name, title, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  /** Default: a line of a form. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Field({ label, class: look = "field", children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class={look}>
      <span>{label}</span>
      {children}
    </label>
  );
}

/** A handler of a field that passes on its value. */
export function withValue(set: (value: string) => void) {
  return ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) => {
    set(value);
  };
}

interface OptionsProps {
  readonly of: readonly (readonly [value: string, text: string])[];
}

/** The content of a `select` or `datalist`. */
export function Options({ of }: OptionsProps) {
  return (
    <>
      {of.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </>
  );
}

interface ActionButtonProps {
  readonly actions: ActionState;
  readonly action: "stop" | "retry";
  readonly children: ComponentChildren;
}

/** Runs an action without parameters. */
export function ActionButton({ actions, action, children }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={action === "stop" ? "danger" : ""}
      disabled={actions.busy}
      onClick={() => void actions.run(action, {})}
    >
      {children}
    </button>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
  }, []);
  return (
    <dialog ref={box} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

const KEYS = [
  ["?", "show this help"],
  ["/", "filter the runs"],
  ["n", "start a workflow (needs --allow-control)"],
  ["u", "go up: from an attempt to its run, from a run to the list"],
  [TABS.map((_, index) => index + 1).join(" "), `show a tab of a run: ${TABS.join(", ")}`],
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
        {KEYS.map(([key, action]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
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
