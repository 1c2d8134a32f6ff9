import { Trans, useLingui } from "@lingui/react/macro";
import { channelEndpoints } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import type { Trace } from "@tollgate/contract/figures/traces.ts";
import { lazy, type ReactNode, Suspense, useId } from "react";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatBytes, formatDurationMs, formatInteger, missing } from "../../ui/format.ts";
import { PartBoundary } from "../../ui/part-boundary.tsx";
import { LoadingStatus } from "../../ui/skeleton.tsx";
import { ExactTime } from "./exact-time.tsx";
import { TracePrice } from "./trace-price.tsx";
import { buildWaterfall } from "./trace-waterfall.ts";
import { WaterfallChart } from "./waterfall-chart.tsx";

/** Few calls have contents. */
const CallContents = lazy(async () => ({
  default: (await import("./call-contents.tsx")).CallContents,
}));

/** The timeline, the price, then the details of a call. */
export function TraceDetails({ trace, log }: { trace: Trace; log: Log }) {
  const { t } = useLingui();
  const { candidates } = trace;
  const { status } = useSession();
  const limit = trace.output_limit === undefined ? undefined : formatInteger(trace.output_limit);
  return (
    <div className="flex flex-col gap-6">
      {log.outcome === "refused" && <WhyNot trace={trace} log={log} />}
      <TraceSection title={<Trans>Timeline</Trans>}>
        <WaterfallChart waterfall={buildWaterfall(trace, t`Request`)} />
        <Candidates
          title={<Trans>Channels tried</Trans>}
          of={candidates.filter(({ taken }) => taken)}
        />
        <Candidates
          title={<Trans>Channels skipped</Trans>}
          of={candidates.filter(({ taken }) => !taken)}
        />
      </TraceSection>
      {log.price !== null && log.price !== undefined && (
        <TraceSection title={<Trans>Price</Trans>}>
          <TracePrice price={log.price} />
        </TraceSection>
      )}
      {trace.body !== undefined && (
        <TraceSection title={<Trans>Contents</Trans>}>
          <PartBoundary>
            <Suspense fallback={<LoadingStatus />}>
              <CallContents reference={log.uuid} isRedacted={trace.body.mode === "redacted"} />
            </Suspense>
          </PartBoundary>
        </TraceSection>
      )}
      <TraceSection title={<Trans>Moments</Trans>}>
        <TimestampTable trace={trace} />
      </TraceSection>
      <TraceSection title={<Trans>Request</Trans>}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <TracePair
            name={t`URL`}
            value={
              <code className="font-mono text-xs">
                {trace.url === "" ? missing : `${trace.method} ${trace.url}`}
              </code>
            }
          />
          <TracePair name={t`Status`} value={<HttpStatusBadge status={trace.status} />} />
          <TracePair name={t`Body size`} value={formatBytes(trace.body_size)} />
          {limit !== undefined && (
            <TracePair
              name={t`Output limit`}
              value={t`${limit} tokens: the balance covered no longer answer`}
            />
          )}
          {trace.notes !== undefined && (
            <TracePair name={t`Notes`} value={trace.notes.join("; ")} />
          )}
          {log.tags !== undefined && (
            <TracePair name={t`Tags`} value={<CallTagLinks tags={log.tags} />} />
          )}
          {log.run !== undefined && hasFeature(status, "agent_runs") && (
            <TracePair
              name={t`Agent run`}
              value={
                <ButtonLink size="sm" to="/runs/$id" params={{ id: log.run } as never}>
                  <Trans>Show the run</Trans>
                </ButtonLink>
              }
            />
          )}
          <TracePair name={t`Username`} value={trace.log?.username || log.username || missing} />
          <TracePair name={t`Model`} value={<ModelNames log={log} />} />
          {log.channel_name !== undefined && log.channel_name !== "" && (
            <TracePair name={t`Channel`} value={log.channel_name} />
          )}
          <TracePair
            name={t`Request id`}
            value={<CopyableText text={log.request_id} label={t`Copy request id`} />}
          />
          {log.content !== "" && (
            <TracePair name={t`Content`} value={<FailureText text={log.content} />} />
          )}
        </dl>
      </TraceSection>
    </div>
  );
}

/** Each leads to the other calls that have it. */
function CallTagLinks({ tags }: { tags: Readonly<Record<string, string>> }) {
  return (
    <span className="flex flex-wrap gap-1">
      {Object.entries(tags).map(([key, value]) => (
        <ButtonLink key={key} size="sm" to="/logs" search={{ tag: `${key}=${value}` } as never}>
          {`${key}=${value}`}
        </ButtonLink>
      ))}
    </span>
  );
}

/** `WhyNot` says why the gateway refused the call, and a check of the same call as of now. */
function WhyNot({ trace, log }: { trace: Trace; log: Log }) {
  const { status } = useSession();
  const path = trace.url.split("?", 1)[0];
  const endpoint = channelEndpoints.find((known) => known.path === path)?.name;
  const model = log.origin_model_name;
  const search = {
    token: log.token_uuid ?? "",
    model,
    ...(endpoint !== undefined && { endpoint }),
  };
  return (
    <TraceSection title={<Trans>Why not?</Trans>}>
      <p className="[overflow-wrap:anywhere]">{log.content}</p>
      {hasFeature(status, "call_check") && model !== "" && (
        <p className="mt-2">
          <ButtonLink size="sm" to="/tokens/check" search={search as never}>
            <Trans>Would this call work now?</Trans>
          </ButtonLink>
        </p>
      )}
    </TraceSection>
  );
}

/** Channels with the reason for or against their choice. */
function Candidates({ title, of }: { title: ReactNode; of: Trace["candidates"] }) {
  if (of.length === 0) return null;
  return (
    <div className="mt-4">
      <h4 className="mb-1 font-medium text-sm">{title}</h4>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-sm">
        {of.map((candidate) => (
          <TracePair
            key={candidate.channel_uuid}
            name={candidate.channel_name}
            value={candidate.reason}
          />
        ))}
      </dl>
    </div>
  );
}

function TraceSection({ title, children }: { title: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-2 font-semibold">
        {title}
      </h3>
      {children}
    </section>
  );
}

function TracePair({ name, value }: { name: ReactNode; value: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
    </>
  );
}

function CopyableText({ text, label }: { text: string; label: string }) {
  if (text === "") return missing;
  return (
    <span className="inline-flex items-center gap-1">
      <code className="font-mono text-xs">{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** The requested and the mapped model name, if they differ. */
function ModelNames({ log }: { log: Log }) {
  const requestedModel = log.origin_model_name;
  if (log.model_name === "") return missing;
  return (
    <code className="font-mono text-xs">
      {requestedModel === "" || requestedModel === log.model_name
        ? log.model_name
        : `${requestedModel} → ${log.model_name}`}
    </code>
  );
}

const statusTones: Record<number, BadgeTone> = { 2: "good", 3: "info", 4: "warn", 5: "bad" };

export function HttpStatusBadge({ status }: { status: number }) {
  if (Number.isNaN(status)) return missing;
  if (status === 0) {
    return (
      <Badge>
        <Trans>Running</Trans>
      </Badge>
    );
  }
  return <Badge tone={statusTones[Math.floor(status / 100)] ?? "neutral"}>{status}</Badge>;
}

function TimestampTable({ trace }: { trace: Trace }) {
  const { t } = useLingui();
  const { timestamps } = trace;
  const durations = trace.durations ?? {};
  const rows = [
    { name: t`Request received`, at: timestamps.request_received, took: undefined, what: "" },
    {
      name: t`Request forwarded`,
      at: timestamps.request_forwarded,
      took: durations.processing_time,
      what: t`processing`,
    },
    {
      name: t`First upstream response`,
      at: timestamps.first_upstream_response,
      took: durations.upstream_response_time,
      what: t`upstream response`,
    },
    {
      name: t`First client response`,
      at: timestamps.first_client_response,
      took: durations.response_processing_time,
      what: t`response processing`,
    },
    {
      name: t`Upstream completed`,
      at: timestamps.upstream_completed,
      took: durations.streaming_time,
      what: t`streaming`,
    },
    {
      name: t`Request completed`,
      at: timestamps.request_completed,
      took: durations.total_time,
      what: t`in total`,
    },
  ];
  return (
    <table className="w-full text-sm">
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.name} className="border-line not-first:border-t">
            <th scope="row" className="py-1 pr-4 text-start font-normal text-muted">
              {row.name}
            </th>
            <td className="whitespace-nowrap py-1 tabular-nums">
              {row.at === undefined ? missing : <ExactTime ms={row.at} short={index > 0} />}
            </td>
            <td className="numeric hidden py-1 pl-4 sm:table-cell">
              {row.what !== "" && (
                <>
                  {formatDurationMs(row.took)} <span className="text-muted">{row.what}</span>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
