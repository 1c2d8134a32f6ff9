import clsx from "clsx";

type ChartLegendProps = {
  label: string;
  entries: readonly { name: string; colour: string; on: boolean }[];
  onToggle: (name: string) => void;
};

/** Each entry toggles a series, in the order of the stack. */
export function ChartLegend({ label, entries, onToggle }: ChartLegendProps) {
  return (
    <ul aria-label={label} className="-ml-2 flex flex-wrap gap-x-1 gap-y-0.5">
      {entries.map((entry) => (
        <li key={entry.name}>
          <button
            type="button"
            aria-pressed={entry.on}
            onClick={() => onToggle(entry.name)}
            className="flex h-7 items-center gap-1.5 rounded-md px-2 font-mono text-muted text-xs hover:bg-hover hover:text-ink"
          >
            <span
              aria-hidden="true"
              className={clsx("size-2.5 rounded-full border-2", !entry.on && "bg-transparent!")}
              style={{ background: entry.colour, borderColor: entry.colour }}
            />
            <span className={clsx(!entry.on && "line-through")}>{entry.name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
