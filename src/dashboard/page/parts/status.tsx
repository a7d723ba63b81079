import { lookOf, type Status, type StatusLook } from "../rows/status-look.ts";

export function StatusBadge({ status }: { readonly status: Status }) {
  return <LookBadge look={lookOf(status)} />;
}

export function LookBadge({ look }: { readonly look: StatusLook }) {
  return (
    <span class={`status ${look.tone}`}>
      <span aria-hidden="true">{look.symbol}</span>
      {look.words}
    </span>
  );
}
