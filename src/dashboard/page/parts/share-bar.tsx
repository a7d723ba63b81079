interface Props {
  /** What is used up of a limit, 0 to 1; null where there is none. */
  readonly share: number | null;
}

/** How much of a limit is used up, as a bar beside the figures that say it. */
export function ShareBar({ share }: Props) {
  if (share === null) return null;
  return (
    <div class={share >= 0.8 ? "bar full" : "bar"} role="presentation">
      <span style={{ width: `${String(Math.round(share * 100))}%` }} />
    </div>
  );
}
