import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { isMaskedKey, maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { lazy, Suspense } from "react";
import { readEntityRef, readShortEntityRef } from "../../compat/entity-ids.ts";
import { knowsLimits } from "../../compat/token-compat.ts";
import { tokenLimits } from "../../components/keys/token-limits.tsx";
import { tokenStatuses } from "../../components/keys/token-statuses.ts";
import { usedQuotaColumn } from "../../components/keys/used-quota-column.tsx";
import { buildRecentCallsColumn } from "../../components/lists/recent-calls-column.tsx";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { Quota } from "../../components/quota.tsx";
import { CutText } from "../../components/texts/cut-text.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Secret } from "../../ui/form/secret.tsx";
import { formatCompact, missing } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { NameLink } from "../../ui/table/row-link.tsx";
import { Time } from "../../ui/time.tsx";
import { PauseLine } from "./pause-note.tsx";
import { coversHardlyACall, findLastAccess, neverExpires } from "./token-screen-rules.ts";

/** Loaded on demand: few sites ask for proof before a key is shown again. */
const ProvedKey = lazy(async () => ({ default: (await import("./proved-key.tsx")).ProvedKey }));

/** Loaded on demand: many lists have no key without a total. */
const TokenWindowLimit = buildLazyPart(
  async () => (await import("./token-window-limit.tsx")).TokenWindowLimit,
);

const tokenColumns: readonly TableColumn<Token>[] = [
  { id: "id", width: 24, label: msg`ID`, sortable: true, numeric: true, cell: readShortEntityRef },
  {
    id: "name",
    width: 160,
    label: msg`Name`,
    sortable: true,
    pinned: true,
    mobile: "title",
    cell: (token) => (
      <NameLink to="/tokens/$id/{-$tab}" id={readEntityRef(token)}>
        <CutText text={token.name} isName />
      </NameLink>
    ),
  },
  {
    id: "key",
    width: 150,
    label: msg`Key`,
    sortable: true,
    cell: (token) => <KeyCell token={token} />,
  },
  {
    id: "status",
    width: 82,
    label: msg`Status`,
    sortable: true,
    mobile: "status",
    cell: (token) => <TokenStatus token={token} />,
  },
  {
    id: "remain_quota",
    width: 60,
    label: msg`Remaining Quota`,
    sortable: true,
    numeric: true,
    mobile: "fact",
    cell: (token) =>
      token.unlimited_quota ? <NoTotal token={token} /> : <Quota units={token.remain_quota} />,
    compactCell: (token) =>
      token.unlimited_quota ? (
        <NoTotal token={token} />
      ) : (
        <Trans>
          <Quota isOwn units={token.remain_quota} /> left
        </Trans>
      ),
  },
  usedQuotaColumn,
  {
    id: "created_time",
    width: 135,
    label: msg`Created`,
    sortable: true,
    cell: ({ created_time }) => <TimeOrNever seconds={created_time} />,
  },
  {
    id: "accessed_time",
    width: 135,
    label: msg`Last Access`,
    sortable: true,
    cell: (token) => <TimeOrNever seconds={findLastAccess(token)} />,
  },
  {
    id: "expired_time",
    width: 135,
    label: msg`Expires`,
    sortable: true,
    cell: ({ expired_time }) => (
      <TimeOrNever seconds={neverExpires(expired_time) ? -1 : expired_time} />
    ),
  },
  {
    id: "limits",
    width: 160,
    label: msg`Rate limits`,
    optional: true,
    cell: (token) => <TokenLimitsCell token={token} />,
  },
  {
    id: "models",
    width: 160,
    label: msg`Allowed Models`,
    optional: true,
    cell: ({ models }) => <Allowed list={models} />,
  },
  {
    id: "subnet",
    width: 120,
    label: msg`IP Restriction`,
    optional: true,
    cell: ({ subnet }) => <Allowed list={subnet} />,
  },
  buildRecentCallsColumn("days"),
];
const withoutLimits = tokenColumns.filter(({ id }) => id !== "limits");

/** Leaves the column of limits out for a server without limits. */
export const buildColumns = (
  tokens: readonly Token[] | undefined,
): readonly TableColumn<Token>[] => (tokens?.some(knowsLimits) ? tokenColumns : withoutLimits);

function TokenStatus({ token }: { token: Token }) {
  const badge = <StatusBadge label={tokenStatuses[token.status]} />;
  const isShort = coversHardlyACall(token);
  const hasOldKey = token.old_key_until > 0;
  const { paused } = token;
  if (!isShort && !hasOldKey && !paused) return badge;
  return (
    <span className="flex flex-col items-start leading-4">
      {badge}
      {paused && <PauseLine pause={paused} />}
      {isShort && (
        <span className="text-sm text-warn">
          <Trans>too little for most calls</Trans>
        </span>
      )}
      {hasOldKey && (
        <span className="text-sm text-warn">
          <Trans>old key works too</Trans>
        </span>
      )}
    </span>
  );
}

/** `NoTotal` says beside "Unlimited" what the key may spend in a window of time. */
function NoTotal({ token }: { token: Token }) {
  const hasBudgets = hasFeature(useSession().status, "budgets");
  return (
    <>
      <Trans>Unlimited</Trans>
      {hasBudgets && <TokenWindowLimit token={token} />}
    </>
  );
}

function KeyCell({ token }: { token: Token }) {
  const { t } = useLingui();
  const { status } = useSession();
  const text = token.key;
  // The gateway cannot decrypt the key any more (its master key changed); the token itself remains
  // valid.
  if (text === "") return missing;
  if (isMaskedKey(text) && status.proves_key_owner === true) {
    return (
      <Suspense fallback={<code className="font-mono text-muted text-sm">{text}</code>}>
        <ProvedKey token={token} />
      </Suspense>
    );
  }
  // The cell itself is focusable for the tooltip, because it has no button.
  if (isMaskedKey(text)) {
    return (
      <Tooltip text={t`Keys are shown only once, when they are created.`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the tip through it */}
        <code tabIndex={0} className="whitespace-nowrap font-mono text-muted text-sm">
          {text}
        </code>
      </Tooltip>
    );
  }
  return <Secret text={text} masked={maskKey(text)} label={t`key`} />;
}

/** -1 means never; undefined, that it has not happened yet. */
function TimeOrNever({ seconds }: { seconds: number | undefined }) {
  if (seconds === -1) return <Trans>Never</Trans>;
  return <Time seconds={seconds} />;
}

/** `Allowed` shows a restriction; without one, everything is allowed. */
const Allowed = ({ list }: { list: string }) =>
  list === "" ? <Trans>All</Trans> : <CutText text={list.replaceAll(",", ", ")} max="max-w-80" />;

function TokenLimitsCell({ token }: { token: Token }) {
  const limits = tokenLimits.filter(({ name }) => token[name] > 0);
  if (limits.length === 0) return <Trans>Unlimited</Trans>;
  return (
    <span className="flex flex-col">
      {limits.map(({ name, Summary }) => (
        <span key={name}>
          <Summary limit={token[name]} figure={formatCompact(token[name])} />
        </span>
      ))}
    </span>
  );
}
