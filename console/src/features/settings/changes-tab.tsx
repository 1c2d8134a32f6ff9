import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type AuditEntry, exportAuditEntries, listAuditEntries } from "@tollgate/contract/audit-trail.ts";
import { Download } from "lucide-react";
import { api } from "../../api-queries.ts";
import { toListPage } from "../../components/list-page.ts";
import { useUrlView } from "../../components/url-view.ts";
import { isRoot, useSession } from "../../session.ts";
import { buttonStyle } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { TableColumn } from "../../ui/data-table-columns.ts";
import { defaultView } from "../../ui/data-table-view.ts";
import { missing } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { OptionsNotAllowed } from "./option-tab.tsx";

const columns: readonly TableColumn<AuditEntry>[] = [
  {
    id: "at",
    width: 135,
    label: msg`Time`,
    mobile: "fact",
    cell: ({ at }) => <Time seconds={Math.floor(at / 1000)} />,
  },
  {
    id: "action",
    width: 120,
    label: msg`Action`,
    pinned: true,
    mobile: "title",
    cell: ({ action }) => <code className="font-mono text-sm">{action}</code>,
  },
  { id: "actor", width: 80, label: msg`Changed by`, mobile: "status", cell: actorCell },
  { id: "address", width: 100, label: msg`Address`, from: "5xl", cell: ({ address }) => address || missing },
  { id: "target", width: 200, label: msg`Subject`, from: "4xl", cell: ({ target }) => <LongText text={target} /> },
  { id: "change", width: 260, label: msg`Change`, from: "3xl", cell: ({ change }) => <LongText text={change} /> },
];

function actorCell({ actor, actor_id }: AuditEntry) {
  if (actor !== "") return actor;
  return actor_id === 0 ? <Trans>The gateway</Trans> : Number.isNaN(actor_id) ? missing : `#${actor_id}`;
}

const LongText = ({ text }: { text: string }) => (
  <span title={text} className="block max-w-80 truncate font-mono text-sm">
    {text === "{}" || text === "" ? missing : text}
  </span>
);

const defaults = { ...defaultView, sort: "id" } as const;

/** Shows an explanation instead of making a call that the role forbids. */
export function ChangesTab() {
  const { user } = useSession();
  return isRoot(user) ? <AuditEntryList /> : <OptionsNotAllowed />;
}

function AuditEntryList() {
  const { t } = useLingui();
  const [view, setView] = useUrlView({ defaults, sorts: ["id"] });
  const { p, size } = view;
  const entries = useQuery({
    ...api.query(listAuditEntries, { query: { p, size } }),
    placeholderData: keepPreviousData,
    select: (reply) => toListPage(reply, view),
  });
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p className="text-muted">
        <Trans>
          What was changed, when and by whom. Nothing here is ever edited or deleted; the command audit --trail proves
          it.
        </Trans>
      </p>
      <DataTable
        label={t`Changes`}
        source={entries}
        columns={columns}
        rowId={({ id }) => String(id)}
        rowName={({ action }) => action}
        view={view}
        onViewChange={setView}
        empty={t`Nothing has been changed yet.`}
        toolbar={
          <a href={exportAuditEntries.path} download className={buttonStyle({ variant: "secondary" })}>
            <Download />
            <Trans>Export all</Trans>
          </a>
        }
      />
    </div>
  );
}
