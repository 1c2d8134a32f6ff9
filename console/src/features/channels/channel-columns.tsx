import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import clsx from "clsx";
import { readEntityRef, readShortEntityRef } from "../../compat/entity-ids.ts";
import { usedQuotaColumn } from "../../components/keys/used-quota-column.tsx";
import { buildRecentCallsColumn } from "../../components/lists/recent-calls-column.tsx";
import { CutText } from "../../components/texts/cut-text.tsx";
import { formatDurationMs, formatInteger, formatSeconds, missing } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { NameLink } from "../../ui/table/row-link.tsx";
import { Time } from "../../ui/time.tsx";
import { buildLatencyTone, findBalance, groupNames } from "./channel-screen-rules.ts";
import { ChannelStateBadge } from "./channel-state.tsx";

/**
 * Loaded by lists that show a channel of a configuration file: few have one, and the list is the
 * heaviest page.
 */
const ManagedBadge = buildLazyPart(
  async () => (await import("../../components/managed-badge.tsx")).ManagedBadge,
);

const DisabledReason = buildLazyPart(
  async () => (await import("./channel-rare-badges.tsx")).DisabledReason,
);

export const channelColumns: readonly TableColumn<Channel>[] = [
  { id: "id", width: 24, label: msg`ID`, sortable: true, numeric: true, cell: readShortEntityRef },
  {
    id: "name",
    width: 160,
    label: msg`Name`,
    sortable: true,
    pinned: true,
    mobile: "title",
    cell: (channel) => (
      <>
        <NameLink to="/channels/$id/{-$tab}" id={readEntityRef(channel)}>
          <CutText text={channel.name} isName />
        </NameLink>
        <ManagedBy file={channel.managed_by} />
      </>
    ),
  },
  {
    id: "managed_by",
    label: msg`Managed by`,
    optional: true,
    mobile: "fact",
    cell: ({ managed_by }) => <CutText text={managed_by} />,
    compactCell: ({ managed_by }) => (managed_by ? <ManagedBy file={managed_by} /> : null),
  },
  {
    id: "type",
    width: 100,
    label: msg`Type`,
    sortable: true,
    mobile: "fact",
    cell: ({ type }) => <CutText text={formatTypeName(type)} max="max-w-32" />,
    compactCell: ({ type }) => formatTypeName(type),
  },
  {
    id: "status",
    width: 150,
    label: msg`Status`,
    sortable: true,
    mobile: "status",
    cell: (channel) => <ChannelStateBadge of={channel} />,
  },
  {
    id: "disabled_reason",
    label: msg`Reason`,
    optional: true,
    cell: ({ disabled_reason }) =>
      disabled_reason ? <DisabledReason reason={disabled_reason} /> : missing,
  },
  {
    id: "group",
    width: 90,
    label: msg`Groups`,
    sortable: true,
    cell: ({ group }) => <CutText text={groupNames(group).join(", ")} max="max-w-24" />,
  },
  {
    id: "tag",
    width: 90,
    label: msg`Tag`,
    sortable: true,
    optional: true,
    cell: ({ tag }) => <CutText text={tag} max="max-w-24" />,
  },
  {
    id: "priority",
    width: 30,
    label: msg`Priority`,
    sortable: true,
    numeric: true,
    mobile: "fact",
    cell: ({ priority }) => formatInteger(priority ?? 0),
    compactCell: ({ priority }) =>
      priority ? <Trans>priority {formatInteger(priority)}</Trans> : null,
  },
  {
    id: "weight",
    width: 30,
    label: msg`Weight`,
    sortable: true,
    numeric: true,
    cell: ({ weight }) => formatInteger(weight ?? 0),
  },
  {
    id: "response_time",
    width: 60,
    label: msg`Response`,
    sortable: true,
    numeric: true,
    cell: (channel) => <ResponseTime of={channel} />,
  },
  {
    id: "balance",
    width: 80,
    label: msg`Balance`,
    sortable: true,
    numeric: true,
    cell: (channel) => findBalance(channel) ?? <BalanceUnsupported />,
  },
  usedQuotaColumn,
  {
    id: "created_time",
    width: 135,
    label: msg`Created`,
    sortable: true,
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
  {
    id: "models",
    width: 160,
    label: msg`Models`,
    optional: true,
    cell: ({ models }) => <CutText text={models.replaceAll(",", ", ")} max="max-w-80" />,
  },
  {
    id: "base_url",
    label: msg`Base URL`,
    optional: true,
    cell: ({ base_url }) => <CutText text={base_url} max="max-w-80" />,
  },
  {
    id: "test_time",
    width: 135,
    label: msg`Last test`,
    sortable: true,
    optional: true,
    cell: ({ test_time }) => <Time seconds={test_time} />,
  },
  buildRecentCallsColumn("hours"),
];

function ManagedBy({ file }: { file: string }) {
  return file === "" ? null : <ManagedBadge by={file} />;
}

/** A `response_time` of 0 means never tested, or that the last test failed. */
function ResponseTime({ of: { response_time, test_time } }: { of: Channel }) {
  const { t } = useLingui();
  if (!(response_time > 0)) return missing;
  const when = formatSeconds(test_time);
  const tone = buildLatencyTone(response_time);
  return (
    <Tooltip text={t`Tested ${when}`}>
      <span
        className={clsx(tone === "good" ? "text-good" : tone === "warn" ? "text-warn" : "text-bad")}
      >
        {formatDurationMs(response_time)}
      </span>
    </Tooltip>
  );
}

function BalanceUnsupported() {
  return (
    <span className="text-muted">
      <Trans>Not Supported</Trans>
    </span>
  );
}

export function formatTypeName(type: number): string {
  return findChannelType(type)?.name ?? (Number.isNaN(type) ? missing : String(type));
}
