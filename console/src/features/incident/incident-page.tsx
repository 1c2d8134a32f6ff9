import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  getIncident,
  type Incident,
  incidentSpanMaxMs,
} from "@tollgate/contract/notices/incidents.ts";
import { isLanguageCode } from "@tollgate/contract/site/languages.ts";
import { Check, Printer } from "lucide-react";
import { useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { ChartPictureMenu } from "../../components/chart-picture-menu.tsx";
import { useIncidentMarking } from "../../components/failures/use-incident-marking.ts";
import { useUrlText } from "../../components/texts/url-view.ts";
import { TimeRangeSelect } from "../../components/time-range-select.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { rescuedMark, type SeriesMark } from "../../ui/chart/chart-palette.ts";
import { StackedBars } from "../../ui/chart/stacked-bars.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { FilterField } from "../../ui/form/input.tsx";
import { MomentInput } from "../../ui/form/moment-input.tsx";
import { formatInteger, formatShort } from "../../ui/format.ts";
import { copyIcon } from "../../ui/line-icon.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { buildIncidentBars, type IncidentBars } from "./incident-bars.ts";
import { readIncidentMarkdown } from "./incident-markdown.ts";
import { type IncidentSection, listIncidentSections } from "./incident-sections.ts";
import { IncidentTable } from "./incident-tables.tsx";
import { timeText } from "./incident-texts.ts";

const minuteMs = 60_000;
/** `usualSpanS` is shown until moments are chosen. */
const usualSpanS = 1_800;
const incidentRanges = ["15m", "1h", "24h"] as const;
const rangeSeconds = { "15m": 900, "1h": 3_600, "24h": 86_400 };
const spanMaxS = incidentSpanMaxMs / 1_000;

/**
 * `IncidentPage` shows what happened between two moments: a page to print, and to copy into a
 * ticket.
 */
export function IncidentPage() {
  const { t, i18n } = useLingui();
  const [nowS] = useState(() => Math.ceil(Date.now() / minuteMs) * 60);
  const [startText] = useUrlText("start_timestamp");
  const [endText] = useUrlText("end_timestamp");
  const end = parseSeconds(endText) ?? nowS;
  const start = parseSeconds(startText) ?? end - usualSpanS;
  const language = isLanguageCode(i18n.locale) ? i18n.locale : "";
  const span = { start_timestamp: start, end_timestamp: end - 1 };
  const incident = useQuery(api.query(getIncident, { query: { ...span, language } }));
  const { error } = incident;
  const data = incident.data?.data;
  return (
    <Page
      title={t`Incident`}
      subtitle={t`What happened in a time span, by minute, channel and user`}
      action={data && error === null && <IncidentActions incident={data} />}
    >
      <SpanForm
        key={`${start} ${end}`}
        start={start}
        end={end}
        onAgain={() => void incident.refetch()}
      />
      {error !== null && (
        <Alert
          title={t`The incident could not be loaded`}
          requestId={findRequestId(error)}
          onRetry={() => void incident.refetch()}
          retrying={incident.isFetching}
        >
          {readReason(error, "")}
        </Alert>
      )}
      {error === null && data === undefined && (
        <Card>
          <LoadingStatus />
          <Skeleton className="h-64" />
        </Card>
      )}
      {error === null && data !== undefined && <IncidentReport incident={data} />}
    </Page>
  );
}

const parseSeconds = (text: string): number | undefined =>
  /^[0-9]{1,11}$/.test(text) ? Number(text) : undefined;

/** The moments are in the address, so that a link shows the same incident. */
function SpanForm({ start, end, onAgain }: { start: number; end: number; onAgain: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [from, setFrom] = useState<number | undefined>(start);
  const [to, setTo] = useState<number | undefined>(end);
  const isUsable = from !== undefined && to !== undefined && to > from && to - from <= spanMaxS;
  const show = (first: number, last: number) => {
    if (first === start && last === end) onAgain();
    void navigate({
      to: ".",
      search: { start_timestamp: String(first), end_timestamp: String(last) } as never,
    });
  };
  return (
    <form
      className="flex flex-wrap items-end gap-4 print:hidden"
      onSubmit={(event) => {
        event.preventDefault();
        if (isUsable) show(from, to);
      }}
    >
      <TimeRangeSelect
        ranges={incidentRanges}
        value={undefined}
        onChange={(range) => {
          const now = Math.ceil(Date.now() / minuteMs) * 60;
          if (range !== undefined) show(now - rangeSeconds[range], now);
        }}
      />
      <FilterField label={t`From`}>
        {(id) => <MomentInput id={id} controlSize="sm" seconds={from} onChange={setFrom} />}
      </FilterField>
      <FilterField label={t`To`}>
        {(id) => <MomentInput id={id} controlSize="sm" seconds={to} onChange={setTo} />}
      </FilterField>
      <Button type="submit" size="sm" variant="primary" disabled={!isUsable}>
        <Trans>Show</Trans>
      </Button>
      {!isUsable && (
        <p role="status" className="text-bad text-sm">
          <Trans>Choose an end at most one day after the beginning.</Trans>
        </p>
      )}
    </form>
  );
}

function useIncidentTexts(incident: Incident) {
  const { t } = useLingui();
  const { from, to, failed, rescued } = incident;
  const [failedText, rescuedText] = [formatInteger(failed), formatInteger(rescued)];
  const [begin, end] = [timeText(from), timeText(to)];
  return {
    title: t`Incident from ${begin} to ${end}`,
    summary: t`Failed calls: ${failedText}. Rescued by another channel or key: ${rescuedText}.`,
    sections: listIncidentSections(incident, (words) => t(words)),
  };
}

function IncidentActions({ incident }: { incident: Incident }) {
  const texts = useIncidentTexts(incident);
  const { outcome, copy } = useCopy();
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      <Button icon={<Printer />} onClick={() => window.print()}>
        <Trans>Print</Trans>
      </Button>
      <Button
        icon={outcome === "copied" ? <Check /> : copyIcon}
        onClick={(event) => void copy(readIncidentMarkdown(texts), event.currentTarget)}
      >
        {outcome === "copied" ? <Trans>Copied!</Trans> : <Trans>Copy as Markdown</Trans>}
      </Button>
    </div>
  );
}

function IncidentReport({ incident }: { incident: Incident }) {
  const { t } = useLingui();
  const { from, to, read_from } = incident;
  const { summary, sections } = useIncidentTexts(incident);
  const bars = buildIncidentBars(incident);
  const label = bars.stepS === 60 ? t`Calls by minute` : t`Calls in steps of five minutes`;
  const logSearch = {
    start_timestamp: String(Math.floor(from / 1_000)),
    end_timestamp: String(Math.floor(to / 1_000) - 1),
  };
  return (
    <div className="flex flex-col gap-4">
      {read_from !== null && (
        <Alert tone="info" title={t`Only the newest failures are shown`}>
          <Trans>
            There are more than can be read at once; these begin at {timeText(read_from)}.
          </Trans>
        </Alert>
      )}
      <Card
        title={label}
        note={summary}
        action={<ChartPictureMenu title={label} period={`${timeText(from)} – ${timeText(to)}`} />}
      >
        <IncidentChart label={label} bars={bars} />
      </Card>
      {sections.map((section: IncidentSection) => (
        <IncidentTable
          key={section.title}
          section={section}
          empty={t`Nothing in this period`}
          logSearch={logSearch}
        />
      ))}
    </div>
  );
}

/**
 * `failedMark` is in the colours of their states; the stripes tell them apart without colours too.
 */
const failedMark: SeriesMark = { colour: "var(--bad)", hatch: 0 };

function IncidentChart({ label, bars }: { label: string; bars: IncidentBars }) {
  const { t } = useLingui();
  const { firstS, stepS, failed, rescued } = bars;
  const secondsAt = (place: number) => firstS + place * stepS;
  return (
    <StackedBars
      label={label}
      labels={failed.map((_, place) => timeText(secondsAt(place) * 1_000).slice(11, 16))}
      areTimes
      series={[
        { name: t`Failed`, mark: failedMark, values: failed },
        { name: t`Rescued`, mark: rescuedMark, values: rescued },
      ]}
      isCount
      marking={useIncidentMarking(secondsAt)}
      format={formatShort}
      formatExact={formatInteger}
      height={220}
      empty={t`No problems in this period`}
    />
  );
}
