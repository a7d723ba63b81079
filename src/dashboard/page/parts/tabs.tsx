interface Props<Name extends string> {
  readonly tabs: readonly Name[];
  readonly chosen: Name;
  readonly onChoose: (tab: Name) => void;
  readonly counts: Readonly<Partial<Record<Name, number>>>;
}

export function Tabs<Name extends string>({ tabs, chosen, onChoose, counts }: Props<Name>) {
  const turn = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = tabs[(tabs.indexOf(chosen) + by + tabs.length) % tabs.length];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Run in detail" onKeyDown={turn}>
      {tabs.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === chosen}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => {
            onChoose(tab);
          }}
        >
          {tab.charAt(0).toUpperCase() + tab.slice(1)}
          {counts[tab] !== undefined && <span class="dim number">{counts[tab]}</span>}
        </button>
      ))}
    </div>
  );
}
