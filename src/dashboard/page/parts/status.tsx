import { lookOf, type Status } from "../status-look.ts";

export function StatusBadge({ status }: { readonly status: Status }) {
  const { symbol, words, tone } = lookOf(status);
  return (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{symbol}</span>
      {words}
    </span>
  );
}
