import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import {
  type ExaminedToken,
  examinedTokenSorts,
  type KeyFinding,
  keyFindings,
  listAllKeyFindings,
  listKeyFindings,
} from "@tollgate/contract/accounts/key-hygiene.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { RowMenu } from "../../components/lists/row-actions.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { CutText } from "../../components/texts/cut-text.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Select } from "../../ui/form/input.tsx";
import { missing } from "../../ui/format.ts";
import { DataTable } from "../../ui/table/data-table.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { Time } from "../../ui/time.tsx";
import { AllTokensActions, nameOfHeld, OwnerLink } from "./all-tokens-list.tsx";
import {
  formatTokenName,
  TokenRowFrame,
  useKeyRotation,
  useTokenToggle,
} from "./token-row-actions.tsx";
import { findLastAccess } from "./token-screen-rules.ts";

const findingWords: Readonly<Record<KeyFinding, ReturnType<typeof msg>>> = {
  unused: msg`unused for 90 days`,
  unlimited: msg`without a limit`,
  old: msg`older than a year`,
  never_expires: msg`never expires`,
  many_networks: msg`used from many networks`,
};
const isFinding = (text: string): text is KeyFinding =>
  keyFindings.some((finding) => finding === text);

/**
 * Keys that work and that their owner, or an administrator, should look at; each row leads to what
 * ends its finding.
 */
export function KeyFindingsList({ offersAll, isOfAll }: { offersAll: boolean; isOfAll: boolean }) {
  const { t } = useLingui();
  const countsNetworks = useSession().status.counts_key_networks === true;
  const [, setScope] = useUrlText("scope");
  const [text, setFinding] = useUrlText("finding");
  const finding = isFinding(text) ? text : undefined;
  const list = isOfAll ? listAllKeyFindings : listKeyFindings;
  const { table } = useResourceList({
    list,
    search: list,
    sorts: examinedTokenSorts,
    filters: { finding },
    suggestion: (token) => ({ id: readEntityRef(token), text: token.name }),
  });
  return (
    <>
      <p className="text-muted text-sm">
        {countsNetworks ? (
          <Trans>
            Active keys that are unused, unlimited, old, never expire or are used from many networks
          </Trans>
        ) : (
          <Trans>Active keys that are unused, unlimited, old or never expire</Trans>
        )}
      </p>
      <DataTable
        label={t`Keys to review`}
        {...table}
        columns={isOfAll ? columns : columns.filter(({ id }) => id !== "username")}
        rowName={isOfAll ? nameOfHeld : formatTokenName}
        empty={t`All keys look fine.`}
        toolbar={
          <div className="flex flex-wrap gap-2">
            {offersAll && (
              <Select
                controlSize="sm"
                className="w-auto!"
                aria-label={t`Whose keys`}
                value={isOfAll ? "all" : ""}
                onChange={(event) => setScope(event.target.value)}
              >
                <option value="">{t`My keys`}</option>
                <option value="all">{t`All keys`}</option>
              </Select>
            )}
            <Select
              controlSize="sm"
              className="w-auto!"
              aria-label={t`Finding`}
              value={finding ?? ""}
              onChange={(event) => setFinding(event.target.value)}
            >
              <option value="">{t`All findings`}</option>
              {keyFindings
                .filter((one) => countsNetworks || one !== "many_networks")
                .map((one) => (
                  <option key={one} value={one}>
                    {t(findingWords[one])}
                  </option>
                ))}
            </Select>
          </div>
        }
        actions={(token) =>
          isOfAll ? <AllTokensActions token={token} /> : <OwnKeyActions token={token} />
        }
      />
    </>
  );
}

function Findings({ token: { findings, busiest_day: busiest } }: { token: ExaminedToken }) {
  const { t, i18n } = useLingui();
  function words(finding: KeyFinding): string {
    if (finding !== "many_networks" || !busiest) return t(findingWords[finding]);
    const { networks, start } = busiest;
    const day = new Intl.DateTimeFormat(i18n.locale, {
      dateStyle: "medium",
      timeZone: "UTC",
    }).format(start * 1_000);
    return t`used from ${networks} networks on ${day}`;
  }
  return (
    <span className="flex flex-wrap gap-1">
      {findings.filter(isFinding).map((finding) => (
        <Badge key={finding} tone="warn">
          {words(finding)}
        </Badge>
      ))}
    </span>
  );
}

const columns: readonly TableColumn<ExaminedToken>[] = [
  {
    id: "name",
    width: 160,
    label: msg`Name`,
    sortable: true,
    pinned: true,
    mobile: "title",
    cell: ({ name }) => <CutText text={name} isName />,
  },
  {
    id: "username",
    width: 120,
    label: msg`Owner`,
    // The name of a row begins with it.
    mobile: "detail",
    cell: OwnerLink,
  },
  {
    id: "key_ending",
    width: 80,
    label: msg`Key`,
    mobile: "fact",
    cell: ({ key_ending }) => (
      <code className="font-mono text-muted text-sm">
        {key_ending === "" ? missing : `…${key_ending}`}
      </code>
    ),
  },
  {
    id: "findings",
    width: 240,
    label: msg`Findings`,
    mobile: "status",
    cell: (token) => <Findings token={token} />,
  },
  {
    id: "accessed_time",
    width: 135,
    label: msg`Last Access`,
    sortable: true,
    mobile: "detail",
    cell: (token) => <Time seconds={findLastAccess(token)} />,
  },
  {
    id: "key_time",
    width: 135,
    label: msg`Key made`,
    mobile: "detail",
    cell: ({ key_time }) => <Time seconds={key_time} />,
  },
];

const refreshes = [listKeyFindings];

function OwnKeyActions({ token }: { token: ExaminedToken }) {
  return (
    <TokenRowFrame token={token}>
      <OwnKeyVerbs token={token} />
    </TokenRowFrame>
  );
}

function OwnKeyVerbs({ token }: { token: ExaminedToken }) {
  const toggle = useTokenToggle(token, refreshes);
  const rotation = useKeyRotation(token);
  return (
    <>
      <RowMenu>
        {rotation.item}
        {toggle.item()}
      </RowMenu>
      {rotation.dialog}
    </>
  );
}
