import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import {
  type Alert,
  type AlertFilter,
  countAlerts,
  listAlerts,
  muteAlert,
} from "@tollgate/contract/notices/alerts.ts";
import { incidentSpanMaxMs } from "@tollgate/contract/notices/incidents.ts";
import { isLanguageCode } from "@tollgate/contract/site/languages.ts";
import { BellOff, ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../../api-queries.ts";
import { AlertSeverity } from "../../components/failures/alert-severity.tsx";
import { ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { toastError } from "../../components/toast-failure.ts";
import { hasFeature, isRoot, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink, buttonStyle } from "../../ui/button.tsx";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { formatInteger } from "../../ui/format.ts";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { Menu, MenuItem } from "../../ui/menu/menu.tsx";
import { Time } from "../../ui/time.tsx";
import { alertFilterLabels } from "./alert-words.ts";
import { AlertsFrame } from "./alerts-frame.tsx";

/** The cause of an alert begins some minutes before it. */
const incidentMarginMs = 600_000;

const filters = ["firing", "muted", "resolved"] as const satisfies readonly AlertFilter[];

/** Alerts of the last 30 days with their states. */
export function AlertsPage() {
  const { t, i18n } = useLingui();
  const [text, setText] = useUrlText("state");
  const state = filters.find((one) => one === text) ?? "firing";
  const [shown, setShown] = useState(firstPage);
  const language = isLanguageCode(i18n.locale) ? i18n.locale : "";
  const alerts = useQuery({
    ...api.query(listAlerts, { query: { ...shown, state, language } }),
    placeholderData: keepPreviousData,
  });
  const nothing = {
    firing: <Trans>No active alerts: everything the gateway can see is fine.</Trans>,
    muted: <Trans>No active alert is muted.</Trans>,
    resolved: <Trans>No alerts ended in the last 30 days.</Trans>,
  };
  return (
    <AlertsFrame>
      <ListCard
        source={alerts}
        shown={shown}
        onShow={setShown}
        empty={nothing[state]}
        filter={
          <FilterField label={t`Show`} className="max-w-60">
            {(id) => (
              <Select
                id={id}
                value={state}
                onChange={({ target }) => {
                  setText(target.value === "firing" ? "" : target.value);
                  setShown(firstPage);
                }}
              >
                {filters.map((one) => (
                  <option key={one} value={one}>
                    {t(alertFilterLabels[one])}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
        }
      >
        {(alert) => <AlertItem key={alert.uuid} alert={alert} />}
      </ListCard>
    </AlertsFrame>
  );
}

function AlertItem({ alert }: { alert: Alert }) {
  const { severity, title, text, remedy, state, since, resolved_at, seen_at, count, flapping } =
    alert;
  const isFiring = state === "firing";
  const isMuted = alert.muted_until > 0;
  const times = formatInteger(count);
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {title}
          </span>
          {isFiring ? (
            <AlertSeverity severity={severity} />
          ) : (
            <Badge tone="good">
              <Trans>Resolved</Trans>
            </Badge>
          )}
          {flapping && (
            <Badge>
              <Trans>Unsteady</Trans>
            </Badge>
          )}
          {isMuted && (
            <Badge>
              <Trans>Muted</Trans>
            </Badge>
          )}
        </ItemTitle>
        <p className="[overflow-wrap:anywhere]">{text}</p>
        {isFiring && <p className="text-muted">{remedy}</p>}
        <p className="flex flex-wrap gap-x-3 text-muted text-sm">
          <span>
            <Trans>Since</Trans> <Seconds at={since} />
          </span>
          {resolved_at !== null && (
            <span>
              <Trans>Ended</Trans> <Seconds at={resolved_at} />
            </span>
          )}
          {count > 1 && (
            <span>
              <Trans>{times} times, last</Trans> <Seconds at={seen_at} />
            </span>
          )}
          {isMuted && (
            <span>
              <Trans>Muted until</Trans> <Seconds at={alert.muted_until} />
            </span>
          )}
        </p>
      </ItemText>
      <div className="flex flex-wrap gap-2">
        <SubjectLink alert={alert} />
        <IncidentLink alert={alert} />
        {(isFiring || isMuted) && (
          <ChangeOnly>
            <MuteAction alert={alert} />
          </ChangeOnly>
        )}
      </div>
    </ItemRow>
  );
}

const Seconds = ({ at }: { at: number }) => <Time seconds={Math.floor(at / 1000)} />;

/** `SubjectLink` says where something can be done about it. */
function SubjectLink({
  alert: { rule, subject_kind, subject_id, subject_name },
}: {
  alert: Alert;
}): ReactNode {
  const { t } = useLingui();
  const { user } = useSession();
  // A key of a channel is named by the channel and its place.
  const [id = ""] = subject_id.split("/");
  const calls = buildCalls(rule, subject_id, subject_name);
  if (calls)
    return (
      <ButtonLink size="sm" to="/logs" search={calls as never}>
        <Trans>Logs</Trans>
      </ButtonLink>
    );
  switch (subject_kind) {
    case "channel":
      return (
        <ButtonLink
          size="sm"
          to="/channels/$id/{-$tab}"
          params={{ id }}
          aria-label={t`Open channel ${subject_name}`}
        >
          <Trans>Open channel</Trans>
        </ButtonLink>
      );
    case "budget":
      return (
        <ButtonLink size="sm" to="/budgets">
          <Trans>Budgets</Trans>
        </ButtonLink>
      );
    case "model":
      return (
        <ButtonLink size="sm" to="/channels">
          <Trans>Channels</Trans>
        </ButtonLink>
      );
    case "user":
      return (
        <ButtonLink size="sm" to="/users">
          <Trans>Users</Trans>
        </ButtonLink>
      );
    case "destination":
      return (
        isRoot(user) && (
          <ButtonLink size="sm" to="/alerts/destinations">
            <Trans>Destinations</Trans>
          </ButtonLink>
        )
      );
    case "team":
      return (
        <ButtonLink size="sm" to="/teams">
          <Trans>Teams</Trans>
        </ButtonLink>
      );
    case "job":
    case "token":
    case "management_key":
    case "site":
      return null;
    default:
      // A newer server may know one that has no page here.
      subject_kind satisfies never;
      return null;
  }
}

/** The log filter of the calls that some rules judge. */
function buildCalls(
  rule: string,
  id: string,
  name: string,
): { model_name: string } | { token_name: string } | undefined {
  if (rule === "calls.failing" || rule === "calls.slow") return { model_name: id };
  return rule === "spend.spike" ? { token_name: name } : undefined;
}

/** Around its beginning, or from shortly before it until shortly after its end. */
function IncidentLink({ alert: { title, since, resolved_at } }: { alert: Alert }) {
  const { t } = useLingui();
  const { status } = useSession();
  if (!hasFeature(status, "incidents")) return null;
  const [begin, end] = [since - incidentMarginMs, (resolved_at ?? since) + incidentMarginMs];
  const search = {
    start_timestamp: String(Math.floor(begin / 1_000)),
    end_timestamp: String(Math.ceil(Math.min(end, begin + incidentSpanMaxMs) / 1_000)),
  };
  return (
    <ButtonLink
      size="sm"
      to="/alerts/incident"
      search={search as never}
      aria-label={t`What happened around: ${title}`}
    >
      <Trans>What happened</Trans>
    </ButtonLink>
  );
}

function MuteAction({ alert: { id, title, muted_until } }: { alert: Alert }) {
  const { t } = useLingui();
  const mute = useMutation(api.mutation(muteAlert, { refreshes: [listAlerts, countAlerts] }));
  const muteFor = (hours: number) =>
    mute.mutate({ params: { id: String(id) }, body: { hours } }, { onError: toastError });
  if (muted_until > 0)
    return (
      <Button
        size="sm"
        busy={mute.isPending}
        aria-label={t`End muting of ${title}`}
        onClick={() => muteFor(0)}
      >
        <Trans>End muting</Trans>
      </Button>
    );
  const periods = [
    { hours: 1, label: t`For an hour` },
    { hours: 8, label: t`For 8 hours` },
    { hours: 24, label: t`For a day` },
    { hours: 168, label: t`For a week` },
  ];
  return (
    <Menu
      label={t`Mute ${title}`}
      trigger={
        <button
          type="button"
          aria-label={t`Mute ${title}`}
          aria-busy={mute.isPending || undefined}
          className={buttonStyle({ size: "sm" })}
        >
          <BellOff aria-hidden="true" />
          {/* Without word and arrow, the button stands beside the others on a phone. */}
          <span className="max-sm:hidden">
            <Trans>Mute</Trans>
          </span>
          <ChevronDown aria-hidden="true" className="max-sm:hidden" />
        </button>
      }
    >
      {periods.map(({ hours, label }) => (
        <MenuItem key={hours} onSelect={() => muteFor(hours)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
