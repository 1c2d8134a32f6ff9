import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import { type Redemption, redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import { readEntityRef, readShortEntityRef } from "../../compat/entity-ids.ts";
import { buildUnixSeconds } from "../../compat/time-compat.ts";
import { StatusBadge, type StatusLabel } from "../../components/lists/status-badge.tsx";
import { CutText } from "../../components/texts/cut-text.tsx";
import { Secret } from "../../ui/form/secret.tsx";
import { formatInteger, formatQuota, missing } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { NameLink } from "../../ui/table/row-link.tsx";
import { Time } from "../../ui/time.tsx";

export const redemptionStatuses: Readonly<Record<number, StatusLabel>> = {
  [redemptionStatus.unused]: { label: msg`Unused`, tone: "good" },
  [redemptionStatus.disabled]: { label: msg`Disabled`, tone: "bad" },
  [redemptionStatus.used]: { label: msg`Used`, tone: "neutral" },
};

export const redemptionColumns: readonly TableColumn<Redemption>[] = [
  { id: "id", width: 24, label: msg`ID`, sortable: true, numeric: true, cell: readShortEntityRef },
  {
    id: "name",
    width: 140,
    label: msg`Name`,
    sortable: true,
    pinned: true,
    mobile: "title",
    cell: (code) => {
      const name = <CutText text={code.name} max="max-w-48" isName />;
      if (code.status === redemptionStatus.used) return name;
      return (
        <NameLink to="/redemptions/edit/$id" id={readEntityRef(code)}>
          {name}
        </NameLink>
      );
    },
  },
  { id: "key", width: 150, label: msg`Code`, cell: ({ key }) => <CodeCell text={key} /> },
  {
    id: "status",
    width: 82,
    label: msg`Status`,
    sortable: true,
    mobile: "status",
    cell: ({ status }) => <StatusBadge label={redemptionStatuses[status]} />,
  },
  {
    id: "quota",
    width: 60,
    label: msg`Quota`,
    sortable: true,
    numeric: true,
    mobile: "fact",
    cell: ({ quota }) => <CodeWorth units={quota} />,
  },
  {
    id: "created_time",
    width: 135,
    label: msg`Created`,
    sortable: true,
    cell: ({ created_time, created_at }) => (
      <Time seconds={buildUnixSeconds(created_time, created_at)} />
    ),
  },
  {
    id: "redeemed_time",
    width: 135,
    label: msg`Redeemed`,
    sortable: true,
    mobile: "fact",
    cell: ({ redeemed_time, redeemed_by }) => (
      <span className="flex flex-col leading-4">
        <Time seconds={redeemed_time} />
        {redeemed_by !== "" && (
          <span dir="auto" className="max-w-32 truncate text-muted text-sm" title={redeemed_by}>
            <Trans>by {redeemed_by}</Trans>
          </span>
        )}
      </span>
    ),
    compactCell: ({ redeemed_time, redeemed_by }) =>
      redeemed_time > 0 ? (
        <Trans>
          redeemed <Time seconds={redeemed_time} /> {redeemed_by}
        </Trans>
      ) : null,
  },
];

function CodeCell({ text }: { text: string }) {
  const { t } = useLingui();
  // The gateway cannot decrypt the code any more (its master key changed); the code itself remains
  // valid.
  if (text === "") return missing;
  return <Secret text={text} masked={maskKey(text)} label={t`code`} />;
}

/** The quota of a code is always shown in dollars, at 500,000 units per dollar. */
const perDollar = 500_000;

function CodeWorth({ units }: { units: number }) {
  const { t } = useLingui();
  if (Number.isNaN(units)) return missing;
  const exact = formatInteger(units);
  return (
    <Tooltip text={t`${exact} quota units`}>
      <data value={units} className="tabular-nums">
        {formatQuota(units, { perUnit: perDollar, inCurrency: true, digits: 4 })}
      </data>
    </Tooltip>
  );
}
