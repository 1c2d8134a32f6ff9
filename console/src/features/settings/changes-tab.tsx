import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  type AuditEntry,
  exportAuditEntries,
  listAuditEntries,
} from "@tollgate/contract/site/audit-trail.ts";
import { Download } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { changeFacts, changeKey } from "../../components/changes/change-facts.ts";
import { changeLabels, changeValueName } from "../../components/changes/change-labels.ts";
import { type FactWords, formatFactText } from "../../components/changes/change-values.ts";
import { changeSentence } from "../../components/changes/change-words.ts";
import { buildListPage } from "../../components/lists/list-page.ts";
import { CutText } from "../../components/texts/cut-text.tsx";
import { useUrlView } from "../../components/texts/url-view.ts";
import { useChoiceOwner } from "../../components/use-choice-owner.ts";
import { buildQuotaStyle, isRoot, useSession } from "../../session.ts";
import { basePath } from "../../site-path.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink, buttonStyle } from "../../ui/button.tsx";
import { formatQuota, missing } from "../../ui/format.ts";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { defaultView } from "../../ui/table/data-table-view.ts";
import { Time } from "../../ui/time.tsx";
import { ChangeFilters, useChangeFilters } from "./change-filters.tsx";
import { OptionsNotAllowed } from "./option-tab.tsx";
import { useLastVisit } from "./use-last-visit.ts";

/** @param seenUntil the entries after it are marked as new. */
const buildColumns = (seenUntil: number | undefined): readonly TableColumn<AuditEntry>[] => [
  {
    id: "at",
    width: 180,
    label: msg`Time`,
    mobile: "fact",
    cell: ({ at }) => (
      <span className="flex items-center gap-2">
        <Time seconds={Math.floor(at / 1000)} />
        {seenUntil !== undefined && at > seenUntil && (
          <Badge tone="info">
            <Trans>New</Trans>
          </Badge>
        )}
      </span>
    ),
  },
  {
    id: "action",
    width: 200,
    label: msg`Change`,
    pinned: true,
    mobile: "title",
    cell: (entry) => <ChangeSentence entry={entry} />,
  },
  { id: "actor", width: 80, label: msg`Changed by`, mobile: "status", cell: readActorCell },
  {
    id: "change",
    width: 260,
    label: msg`Details`,
    cell: (entry) => <ChangeFacts entry={entry} />,
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

function ChangeFacts({ entry }: { entry: AuditEntry }) {
  return <CutText text={useFactTexts(entry).join(", ")} max="max-w-80" />;
}

function useFactTexts(entry: AuditEntry): string[] {
  const { i18n } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  const [subject = ""] = entry.action.split(".");
  const told = (message: MessageDescriptor | undefined) => message && i18n._(message);
  const words: FactWords = {
    label: (member) => told(changeLabels[member]),
    name: (member, value) => told(changeValueName(subject, member, value)),
    quota: (units) => formatQuota(units, style),
  };
  return changeFacts(entry).map((fact) => formatFactText(fact, words));
}

function readActorCell(entry: AuditEntry) {
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
  return actor_id === 0 ? (
    <Trans>The gateway</Trans>
  ) : Number.isNaN(actor_id) ? (
    missing
  ) : (
    `#${actor_id}`
  );
}

/**
 * `ChangeDetails` shows what changed in words, and the entry as it is stored, for those who compare
 * it with the export.
 */
function ChangeDetails({
  entry,
  onFilter,
}: {
  entry: AuditEntry;
  onFilter: (target: string) => void;
}) {
  const { action, target, target_name: name, change, hash } = entry;
  const [subject = ""] = action.split(".");
  const page = name === "" ? undefined : subjectPages[subject];
  const facts = useFactTexts(entry);
  return (
    <div className="flex flex-col gap-4">
      {facts.length > 0 && (
        <ul className="flex flex-col gap-1 [overflow-wrap:anywhere]">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {page !== undefined && (
          <ButtonLink to={`${page}${target}` as never} size="sm">
            <Trans>Open {name}</Trans>
          </ButtonLink>
        )}
        {target !== "" && (
          <Button size="sm" onClick={() => onFilter(target)}>
            <Trans>All its changes</Trans>
          </Button>
        )}
      </div>
      <pre className="overflow-x-auto whitespace-pre-wrap rounded-md bg-sunken p-3 font-mono text-sm [overflow-wrap:anywhere]">
        {[action, target, change, hash].join("\n")}
      </pre>
    </div>
  );
}

/** `subjectPages` are the pages with the form of a thing, by its uuid. */
const subjectPages: Readonly<Record<string, string>> = {
  user: "/users/edit/",
  channel: "/channels/edit/",
  redemption: "/redemptions/edit/",
};

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
    select: (reply) => buildListPage(reply, view),
  });
  const choiceOwner = useChoiceOwner(listAuditEntries.path);
  const seenUntil = useLastVisit(choiceOwner, entries.data?.items[0]?.at);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p className="text-muted">
        <Trans>
          What was changed, when and by whom. Entries cannot be changed or deleted; the command{" "}
          <code className="whitespace-nowrap font-mono text-sm">audit --trail</code> proves it.
        </Trans>
      </p>
      <DataTable
        label={t`Changes`}
        source={entries}
        columns={buildColumns(seenUntil)}
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
            <a
              href={basePath + exportAuditEntries.path}
              download
              className={buttonStyle({ variant: "secondary", size: "sm" })}
            >
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
        {opened !== undefined && (
          <ChangeDetails
            entry={opened}
            onFilter={(target) => {
              setOpened(undefined);
              void navigate({ to: ".", search: { target } as never });
            }}
          />
        )}
      </Dialog>
    </div>
  );
}
