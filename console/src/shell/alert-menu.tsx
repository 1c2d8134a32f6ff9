import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { countAlerts, listAlerts } from "@tollgate/contract/notices/alerts.ts";
import { isLanguageCode } from "@tollgate/contract/site/languages.ts";
import clsx from "clsx";
import { Bell } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { api, queryClient } from "../api-queries.ts";
import { AlertSeverity } from "../components/failures/alert-severity.tsx";
import { buttonStyle } from "../ui/button.tsx";
import { Menu, MenuHeading, MenuLine, MenuLink } from "../ui/menu/menu.tsx";

/** The newest; the page has all. */
const shownMax = 6;
/** Muted ones are left out after reading. */
const readMax = 20;
const countMax = 99;
/** A count as old as this is asked for anew at the next page. */
const recountAfterMs = 60_000;

/** `AlertMenu` says how many alerts fire, and the newest of them. */
export function AlertMenu() {
  const { t } = useLingui();
  const count = useAlertCount();
  const firing = count?.firing ?? 0;
  const label = firing > 0 ? t`Alerts: ${firing} firing` : t`Alerts`;
  return (
    <Menu
      label={t`Alerts`}
      trigger={
        <button
          type="button"
          title={label}
          className={buttonStyle({ variant: "ghost" }, "relative size-9 px-0!")}
        >
          <Bell aria-hidden="true" />
          <span className="sr-only">{label}</span>
          {firing > 0 && (
            <span
              aria-hidden="true"
              className={clsx(
                "absolute top-0 right-0 min-w-4 rounded-full px-1 text-center font-semibold text-[0.6875rem] leading-4 tabular-nums",
                count !== undefined && count.critical > 0
                  ? "bg-bad text-bad-ink"
                  : "bg-ink text-page",
              )}
            >
              {firing > countMax ? `${countMax}+` : firing}
            </span>
          )}
        </button>
      }
    >
      <NewestAlerts />
    </Menu>
  );
}

/**
 * Asked at a page or a return to the window, once it is a minute old. Not by the clock: that would
 * keep the session of an unattended window alive beyond its idle limit.
 */
function useAlertCount() {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const countedAt = useRef(path);
  const query = { ...api.query(countAlerts), staleTime: recountAfterMs };
  const count = useQuery({ ...query, refetchOnWindowFocus: true }, queryClient);
  const recountIfOld = useEffectEvent(
    () => void queryClient.refetchQueries({ queryKey: query.queryKey, stale: true }),
  );
  useEffect(() => {
    if (countedAt.current !== path) recountIfOld();
    countedAt.current = path;
  }, [path]);
  return count.data?.data;
}

function NewestAlerts() {
  const { i18n } = useLingui();
  const language = isLanguageCode(i18n.locale) ? i18n.locale : "";
  const newest = useQuery(
    api.query(listAlerts, { query: { state: "firing", size: readMax, language } }),
    queryClient,
  );
  const alerts = newest.data?.data
    .filter(({ muted_until }) => !(muted_until > 0))
    .slice(0, shownMax);
  return (
    // As wide before the alerts are read as afterwards, because the menu keeps its place.
    <div className="w-72 max-w-[80dvw]">
      {newest.error !== null ? (
        <MenuHeading>
          <Trans>This could not be loaded</Trans>
        </MenuHeading>
      ) : alerts === undefined ? (
        <MenuHeading>
          <Trans>Loading...</Trans>
        </MenuHeading>
      ) : alerts.length === 0 ? (
        <MenuHeading>
          <Trans>No active alerts.</Trans>
        </MenuHeading>
      ) : (
        alerts.map(({ id, severity, title }) => (
          <MenuLink key={id} to="/alerts">
            <span className="flex min-w-0 flex-col items-start gap-0.5 py-0.5">
              <AlertSeverity severity={severity} />
              <span className="[overflow-wrap:anywhere]">{title}</span>
            </span>
          </MenuLink>
        ))
      )}
      <MenuLine />
      <MenuLink to="/alerts">
        <Trans>All alerts</Trans>
      </MenuLink>
    </div>
  );
}
