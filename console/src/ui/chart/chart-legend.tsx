import clsx from "clsx";
import { markBackground, type SeriesMark } from "./chart-palette.ts";

type ChartLegendProps = {
  label: string;
  entries: readonly { name: string; mark: SeriesMark; on: boolean }[];
  /** Names of models and keys stand in monospace, words do not. */
  isMono: boolean;
  onToggle: (name: string) => void;
};

/** Each entry toggles a series, in the order of the stack. */
export function ChartLegend({ label, entries, isMono, onToggle }: ChartLegendProps) {
  return (
    <ul
      aria-label={label}
      className="-ml-2 flex max-h-28 flex-wrap gap-x-1 gap-y-0.5 overflow-y-auto"
    >
      {entries.map((entry) => (
        <li key={entry.name}>
          <button
            type="button"
            aria-pressed={entry.on}
            onClick={() => onToggle(entry.name)}
            className={clsx(
              "flex min-h-7 items-center gap-1.5 rounded-md px-2 text-start text-muted text-xs hover:bg-hover hover:text-ink",
              isMono && "font-mono",
            )}
          >
            <span
              aria-hidden="true"
              className={clsx(
                "size-3 shrink-0 rounded-full border",
                !entry.on && "bg-none! bg-transparent!",
              )}
              style={{ background: markBackground(entry.mark), borderColor: entry.mark.colour }}
            />
            <span className={clsx(!entry.on && "line-through")}>{entry.name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
