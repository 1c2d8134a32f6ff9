import { formatDate } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";

/**
 * A time to the millisecond. A `short` one shows its date only in the tooltip on narrow screens.
 */
export function ExactTime({ ms, short }: { ms: number; short: boolean }) {
  const exact = `${formatDate(new Date(ms))}.${String(ms % 1000).padStart(3, "0")}`;
  if (!short) return exact;
  const [day, time] = exact.split(" ");
  return (
    <Tooltip text={exact}>
      <time dateTime={new Date(ms).toISOString()}>
        <span className="hidden sm:inline">{day} </span>
        {time}
      </time>
    </Tooltip>
  );
}
