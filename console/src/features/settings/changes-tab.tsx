import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type AuditEntry, exportAuditEntries, listAuditEntries } from "@tollgate/contract/audit-trail.ts";
import { Download } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { changeFacts, changeKey } from "../../components/change-facts.ts";
import { changeSentence } from "../../components/change-words.ts";
import { CutText } from "../../components/cut-text.tsx";
import { toListPage } from "../../components/list-page.ts";
import { useUrlView } from "../../components/url-view.ts";
import { useChoiceOwner } from "../../components/use-choice-owner.ts";
import { isRoot, useSession } from "../../session.ts";
import { buttonStyle } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { TableColumn } from "../../ui/data-table-columns.ts";
import { defaultView } from "../../ui/data-table-view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { missing } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { ChangeFilters, useChangeFilters } from "./change-filters.tsx";
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
    width: 200,
    label: msg`Change`,
    pinned: true,
    mobile: "title",
    cell: (entry) => <ChangeSentence entry={entry} />,
  },
  { id: "actor", width: 80, label: msg`Changed by`, mobile: "status", cell: actorCell },
  {
    id: "change",
    width: 260,
    label: msg`Details`,
    cell: (entry) => <CutText text={changeFacts(entry)} max="max-w-80" />,
  },
  { id: "address", width: 100, label: msg`Address`, cell: ({ address }) => address || missing },
];

function ChangeSentence({ entry }: { entry: AuditEntry }) {
  const { i18n } = useLingui();
  const sentence = changeSentence(entry);
  if (sentence === undefined) return <code className="font-mono text-sm">{entry.action}</code>;
  const text = i18n._(sentence);
  return (
    <span title={text} className="block max-w-80 truncate">
      {text}
    </span>
  );
}

function actorCell(entry: AuditEntry) {
  const { actor, actor_id } = entry;
  const key = changeKey(entry);
  if (actor !== "")
    return key === "" ? (
      actor
    ) : (
      <Trans>
        {actor} with the key {key}
      </Trans>
    );
  return actor_id === 0 ? <Trans>The gateway</Trans> : Number.isNaN(actor_id) ? missing : `#${actor_id}`;
}

/** The entry as it is stored, for those who compare it with the export. */
function StoredEntry({ entry }: { entry: AuditEntry }) {
  const { action, target, change, hash } = entry;
  return (
    <pre className="overflow-x-auto whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">
      {[action, target, change, hash].join("\n")}
    </pre>
  );
}

const defaults = { ...defaultView, sort: "id" } as const;

/** Shows an explanation instead of making a call that the role forbids. */
export function ChangesTab() {
  const { user } = useSession();
  return isRoot(user) ? <AuditEntryList /> : <OptionsNotAllowed />;
}

function AuditEntryList() {
  const { t, i18n } = useLingui();
  const [opened, setOpened] = useState<AuditEntry>();
  const nameOf = (entry: AuditEntry) => {
    const sentence = changeSentence(entry);
    return sentence === undefined ? entry.action : i18n._(sentence);
  };
  const [view, setView] = useUrlView({ defaults, sorts: ["id"] });
  const { p, size } = view;
  const { query, isFiltered } = useChangeFilters();
  const navigate = useNavigate();
  const clearFilters = () => void navigate({ to: ".", search: {} as never });
  const entries = useQuery({
    ...api.query(listAuditEntries, { query: { p, size, ...query } }),
    placeholderData: keepPreviousData,
    select: (reply) => toListPage(reply, view),
  });
  const choiceOwner = useChoiceOwner(listAuditEntries.path);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p className="text-muted">
        <Trans>
          What was changed, when and by whom. Entries cannot be changed or deleted; the command audit --trail proves it.
        </Trans>
      </p>
      <DataTable
        label={t`Changes`}
        source={entries}
        columns={columns}
        choiceOwner={choiceOwner}
        rowId={({ id }) => String(id)}
        rowName={nameOf}
        onRowOpen={setOpened}
        view={view}
        onViewChange={setView}
        empty={t`Nothing has been changed yet.`}
        filtered={isFiltered}
        onClearFilters={clearFilters}
        toolbar={
          <>
            <ChangeFilters onClear={clearFilters} />
            <a href={exportAuditEntries.path} download className={buttonStyle({ variant: "secondary", size: "sm" })}>
              <Download />
              <Trans>Export all</Trans>
            </a>
          </>
        }
      />
      <Dialog
        open={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened === undefined ? "" : nameOf(opened)}
        width="md"
      >
        {opened !== undefined && <StoredEntry entry={opened} />}
      </Dialog>
    </div>
  );
}
