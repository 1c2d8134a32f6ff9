import { Trans, useLingui } from "@lingui/react/macro";
import type { DashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { FoldingCard } from "../../components/folding-card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";

type Week = NonNullable<DashboardInsight["week"]>;

/** A Monday, from which the names of the weekdays follow. */
const monday = Date.UTC(2026, 0, 5);
const dayMs = 86_400_000;
const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour);
const marked = [0, 6, 12, 18];
/** The faintest cell with calls is still told from one without. */
const faintest = 12;

/** Calls by weekday and hour. */
export function BusyHoursCard({ week }: { week: Week | undefined }) {
  const { t, i18n } = useLingui();
  const weekday = new Intl.DateTimeFormat(i18n.locale, { weekday: "short", timeZone: "UTC" });
  const most = Math.max(0, ...(week ?? []).flat().map(({ requests }) => requests));
  return (
    <FoldingCard
      fold="busy-hours"
      title={<Trans>Busy hours</Trans>}
      note={<Trans>Calls of the last four weeks of the range, by hour (UTC)</Trans>}
    >
      {week === undefined ? (
        <Skeleton className="h-48" />
      ) : most === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No calls in this period</Trans>
        </p>
      ) : (
        <table
          aria-label={t`Calls by weekday and hour`}
          className="w-full table-fixed border-separate border-spacing-0.5"
        >
          <thead>
            <tr className="text-muted text-xs">
              <td className="w-9" />
              {hoursOfDay.map((hour) => (
                <th key={hour} scope="col" className="whitespace-nowrap text-start font-normal">
                  {marked.includes(hour) ? hour : <span className="sr-only">{hour}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {week.map((hours, index) => {
              const day = weekday.format(monday + index * dayMs);
              return (
                <tr key={day}>
                  <th scope="row" className="text-start font-normal text-muted text-xs">
                    {day}
                  </th>
                  {hoursOfDay.map((hour) => {
                    const requests = hours[hour]?.requests ?? 0;
                    return (
                      <td
                        key={hour}
                        title={`${day} ${hour}:00 – ${formatInteger(requests)}`}
                        className="h-5 overflow-hidden rounded-xs bg-sunken p-0"
                        style={
                          requests === 0 ? undefined : { backgroundColor: shade(requests / most) }
                        }
                      >
                        <span className="sr-only">{formatInteger(requests)}</span>
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </FoldingCard>
  );
}

const shade = (share: number): string =>
  `color-mix(in oklab, var(--accent) ${faintest + share * (100 - faintest)}%, var(--sunken))`;
