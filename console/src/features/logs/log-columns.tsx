import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { formatTagListText } from "@tollgate/contract/accounts/tags.ts";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import clsx from "clsx";
import { outcomeLabels } from "../../components/failures/outcome-labels.ts";
import { Quota } from "../../components/quota.tsx";
import { useLogText } from "../../components/texts/log-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatDurationMs, formatInteger, formatSeconds, missing } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { Time } from "../../ui/time.tsx";
import { readLogType } from "./log-types.ts";
import { findTokensPerSecond } from "./token-speed.ts";

/** `withTags`: the server has tags of calls. */
export function logColumns(
  admin: boolean,
  withTags: boolean,
  isOfTeam = false,
): TableColumn<Log>[] {
  return [
    {
      id: "created_at",
      label: msg`Time`,
      sortable: true,
      pinned: true,
      mobile: "fact",
      cell: (log) => <Time seconds={log.created_at} />,
      // On mobile the year is left out, so that the latency fits into the line.
      compactCell: (log) => formatSeconds(log.created_at).slice("2026-".length),
    },
    { id: "type", label: msg`Type`, mobile: "status", cell: (log) => <LogTypeBadge log={log} /> },
    { id: "model_name", label: msg`Model`, mobile: "none", cell: (log) => <ModelName log={log} /> },
    {
      id: "token_name",
      label: msg`Token`,
      mobile: "detail",
      cell: (log) => <Short text={log.token_name} />,
    },
    ...(admin ? [userColumn, channelColumn] : isOfTeam ? [userColumn] : []),
    {
      id: "quota",
      label: msg`Quota`,
      sortable: true,
      numeric: true,
      mobile: "fact",
      cell: (log) => <LogQuota log={log} />,
      compactCell: (log) => <Quota units={log.quota} />,
    },
    {
      id: "prompt_tokens",
      label: msg`Prompt Tokens`,
      sortable: true,
      numeric: true,
      mobile: "detail",
      cell: (log) => <PromptTokens log={log} />,
    },
    {
      id: "completion_tokens",
      label: msg`Completion Tokens`,
      sortable: true,
      numeric: true,
      mobile: "detail",
      cell: (log) => <Count value={log.completion_tokens} />,
    },
    {
      id: "elapsed_time",
      label: msg`Latency`,
      sortable: true,
      numeric: true,
      mobile: "fact",
      cell: (log) => <LatencyCell ms={log.elapsed_time} />,
    },
    {
      id: "content",
      label: msg`Content`,
      mobile: "detail",
      cell: (log) => <Content of={log} />,
    },
    ...furtherColumns,
    ...(withTags ? [tagColumn] : []),
  ];
}

/** The exports have it too where it is chosen. */
export const tagColumn: TableColumn<Log> = {
  id: "tags",
  label: msg`Tags`,
  optional: true,
  cell: ({ tags = {} }) => <Mono text={formatTagListText(Object.entries(tags))} />,
};

const userColumn: TableColumn<Log> = {
  id: "username",
  label: msg`Username`,
  mobile: "detail",
  cell: (log) => <Short text={log.username} />,
};
const channelColumn: TableColumn<Log> = {
  id: "channel",
  label: msg`Channel`,
  mobile: "detail",
  cell: (log) => <Short text={log.channel_name || (log.channel > 0 ? String(log.channel) : "")} />,
};

const furtherColumns: TableColumn<Log>[] = [
  {
    id: "origin_model_name",
    label: msg`Requested model`,
    optional: true,
    cell: (log) => <Mono text={log.origin_model_name} />,
  },
  {
    id: "cached_prompt_tokens",
    label: msg`Cached tokens`,
    numeric: true,
    optional: true,
    cell: (log) => <Count value={log.cached_prompt_tokens} />,
  },
  {
    id: "ttft",
    label: msg`First token`,
    numeric: true,
    optional: true,
    cell: ({ ttft }) => (ttft > 0 ? formatDurationMs(ttft) : missing),
  },
  {
    id: "tokens_per_second",
    label: msg`Tokens/s`,
    numeric: true,
    optional: true,
    cell: (log) => formatInteger(Math.round(findTokensPerSecond(log) ?? Number.NaN)),
  },
  {
    id: "retries",
    label: msg`Retries`,
    numeric: true,
    optional: true,
    cell: ({ retries }) => formatInteger(retries ?? Number.NaN),
  },
  {
    id: "request_id",
    label: msg`Request ID`,
    optional: true,
    cell: (log) => <Mono text={log.request_id} />,
  },
];

/** Shows an unsuccessful outcome as well: the type alone looks like any other charge. */
function LogTypeBadge({ log }: { log: Log }) {
  const { t } = useLingui();
  const outcome = log.outcome === "success" ? undefined : outcomeLabels[log.outcome];
  const type = readLogType(log.type);
  return (
    <span className="inline-flex gap-1">
      <Badge tone={type.tone}>{t(type.label)}</Badge>
      {outcome === undefined && (log.retries ?? 0) > 0 && (
        <Badge tone="warn">
          <Trans>Retried</Trans>
        </Badge>
      )}
      {outcome !== undefined && <Badge tone={outcome.tone}>{t(outcome.label)}</Badge>}
    </span>
  );
}

function LogQuota({ log }: { log: Log }) {
  return log.quota === 0 ? <span className="text-muted">0</span> : <Quota units={log.quota} />;
}

function PromptTokens({ log }: { log: Log }) {
  const { t } = useLingui();
  const cached = formatInteger(log.cached_prompt_tokens);
  if (!(log.cached_prompt_tokens > 0)) return <Count value={log.prompt_tokens} />;
  return (
    <Tooltip text={t`${cached} of them from the cache`}>
      <span>{formatInteger(log.prompt_tokens)}</span>
    </Tooltip>
  );
}

const Count = ({ value }: { value: number }) =>
  value === 0 ? <span className="text-muted">0</span> : <span>{formatInteger(value)}</span>;

/** Behind an import: the list paints without it. */
const ModelEndMark = buildLazyPart(
  async () => (await import("../../components/model-end-mark.tsx")).ModelEndMark,
);

const ModelName = ({ log: { model_name } }: { log: Log }) => (
  <span className="inline-flex items-center gap-2">
    <Mono text={model_name} />
    <ModelEndMark model={model_name} isShort />
  </span>
);

const Mono = ({ text }: { text: string }) => (
  <span className="inline-block max-w-56 truncate align-middle font-mono text-xs">
    {text || missing}
  </span>
);

const Short = ({ text }: { text: string }) => (
  <span dir="auto" className="inline-block max-w-36 truncate align-middle">
    {text || missing}
  </span>
);

/** Behind an import, too: most rows have succeeded. */
const FailureName = buildLazyPart(
  async () => (await import("../../components/failures/failure-text.tsx")).FailureName,
);

const contentColumn = { gridTemplateColumns: "minmax(4rem, 18rem)" };

/** The column is narrow where the table is, and takes the room that others leave. */
function Content({ of: log }: { of: Log }) {
  const text = useLogText()(log);
  if (text === "") return <span className="text-muted">{missing}</span>;
  return (
    <Tooltip text={text}>
      <span className="grid text-muted" style={contentColumn}>
        <span className="truncate">
          {log.outcome === "success" || log.code !== undefined ? text : <FailureName text={text} />}
        </span>
      </span>
    </Tooltip>
  );
}

const goodBelowMs = 1_000;
const fairBelowMs = 3_000;

const buildLatencyTone = (ms: number): "good" | "warn" | "bad" =>
  ms < goodBelowMs ? "good" : ms < fairBelowMs ? "warn" : "bad";

const colours = { good: "text-good", warn: "text-warn", bad: "text-bad" };

function LatencyCell({ ms }: { ms: number }) {
  if (!(ms > 0)) return <span className="text-muted">{missing}</span>;
  return (
    <Tooltip text={`${formatInteger(ms)} ms`}>
      <span className={clsx("tabular-nums", colours[buildLatencyTone(ms)])}>
        {formatDurationMs(ms)}
      </span>
    </Tooltip>
  );
}
