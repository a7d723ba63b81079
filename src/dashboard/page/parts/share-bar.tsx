interface Props {
  /** The used share of a limit, 0 to 1; null without a limit. */
  readonly share: number | null;
}

/** A usage bar, next to the figures. */
export function ShareBar({ share }: Props) {
  if (share === null) return null;
  return (
    <div class={share >= 0.8 ? "bar full" : "bar"} role="presentation">
      <span style={{ width: `${String(Math.round(share * 100))}%` }} />
    </div>
  );
}
