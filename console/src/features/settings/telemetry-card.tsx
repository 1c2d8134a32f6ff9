import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  getTelemetry,
  type MetricsGuard,
  type TelemetryState,
} from "@tollgate/contract/site/telemetry.ts";
import type { ReactNode } from "react";
import { ApiError } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { CaptionedCode } from "../../components/captioned-code.tsx";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";

/** `TelemetryCard` says where metrics and spans go. Read only: the environment decides. */
export function TelemetryCard() {
  const state = useQuery({
    ...api.query(getTelemetry, { query: { page_origin: location.origin } }),
    select: ({ data }) => data,
  });
  // Compatible servers have no such endpoint.
  if (state.error instanceof ApiError && state.error.status === 404) return null;
  return (
    <Card
      title={<Trans>Metrics and traces</Trans>}
      note={<Trans>Set by the environment. Counts are for this process.</Trans>}
    >
      {state.data === undefined ? (
        <CardLoading source={state} />
      ) : (
        <TelemetryFacts state={state.data} />
      )}
    </Card>
  );
}

function TelemetryFacts({ state: { metrics, traces } }: { state: TelemetryState }) {
  const { t } = useLingui();
  const guards: Record<MetricsGuard, string> = {
    network: t`No password; protected by the network`,
    token: t`For METRICS_TOKEN, or a management key with metrics:read`,
    key: t`For a management key with metrics:read`,
  };
  const [series, most] = [formatInteger(metrics.series), formatInteger(metrics.series_max)];
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
        <Fact name={t`Metrics`}>
          {metrics.served.map(({ url, guard }) => (
            <p key={url}>
              <code className="font-mono">{url}</code>{" "}
              <span className="text-muted">{guards[guard]}</span>
            </p>
          ))}
          {metrics.served.length === 0 && t`Not served: METRICS_PORT is not set`}
        </Fact>
        <Fact name={t`Metric series`}>{t`${series} of ${most}`}</Fact>
        <Fact name={t`Collector`}>
          {traces === null ? (
            t`Off: OTEL_EXPORTER_OTLP_ENDPOINT is not set`
          ) : (
            <code className="font-mono">{traces.collector}</code>
          )}
        </Fact>
        {traces !== null && (
          <>
            <Fact name={t`Spans sent`}>{formatInteger(traces.sent)}</Fact>
            <Fact name={t`Spans dropped`}>
              {formatInteger(traces.dropped + traces.lost + traces.rejected)}
            </Fact>
            <Fact name={t`Last collector error`}>
              {traces.last_failure === null ? (
                t`None`
              ) : (
                <>
                  <Time seconds={Math.floor(traces.last_failure.at / 1_000)} />{" "}
                  {traces.last_failure.reason}
                </>
              )}
            </Fact>
          </>
        )}
      </dl>
      {metrics.scrape_configuration !== null && (
        <CaptionedCode
          label={t`Scrape configuration of Prometheus`}
          code={metrics.scrape_configuration}
          isCopied
        />
      )}
    </div>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
);
