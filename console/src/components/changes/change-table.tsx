import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type AuditEntry, listAuditEntries } from "@tollgate/contract/site/audit-trail.ts";
import { type ReactNode, useEffect, useState } from "react";
import { api } from "../../api-queries.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { formatQuota, missing } from "../../ui/format.ts";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { defaultView } from "../../ui/table/data-table-view.ts";
import { Time } from "../../ui/time.tsx";
import { buildListPage } from "../lists/list-page.ts";
import { CutText } from "../texts/cut-text.tsx";
import { writeReason } from "../texts/disabling-words.ts";
import { useUrlView } from "../texts/url-view.ts";
import { useChoiceOwner } from "../use-choice-owner.ts";
import { changeFacts, changeKey } from "./change-facts.ts";
import { changeLabels, changeValueName } from "./change-labels.ts";
import { findChangePage } from "./change-subjects.ts";
import { type FactWords, formatFactText } from "./change-values.ts";
import { changeSentence } from "./change-words.ts";

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
    reason: (sentence) => writeReason(sentence, (message) => i18n._(message)),
    thing: (id) => entry.change_names?.[id],
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
  onFilter: ((target: string) => void) | undefined;
}) {
  const { action, target, target_name: name, change, hash } = entry;
  const [subject = ""] = action.split(".");
  // On the page of a thing, its page and its changes are on the screen already.
  const page = name === "" || onFilter === undefined ? undefined : findChangePage(subject, target);
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
          <ButtonLink to={page as never} size="sm">
            <Trans>Open {name}</Trans>
          </ButtonLink>
        )}
        {target !== "" && onFilter !== undefined && (
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

const defaults = { ...defaultView, sort: "id" } as const;

type ChangeTableProps = {
  /** `query` narrows the record. */
  query: { subject?: string; actor?: string; target?: string };
  toolbar?: ReactNode;
  onClearFilters?: () => void;
  /** Narrows the record to a thing. Without it, the record is about one thing already. */
  onFilter?: (target: string) => void;
};

/** `ChangeTable` is the record of changes, whole or narrowed, with the entry that is opened. */
export function ChangeTable({ query, toolbar, onClearFilters, onFilter }: ChangeTableProps) {
  const { t, i18n } = useLingui();
  const [opened, setOpened] = useState<AuditEntry>();
  const nameOf = (entry: AuditEntry) => {
    const sentence = changeSentence(entry);
    return sentence === undefined ? entry.action : i18n._(sentence);
  };
  const [view, setView] = useUrlView({ defaults, sorts: ["id"] });
  const { p, size } = view;
  const entries = useQuery({
    ...api.query(listAuditEntries, { query: { p, size, ...query } }),
    placeholderData: keepPreviousData,
    select: (reply) => buildListPage(reply, view),
  });
  const choiceOwner = useChoiceOwner(listAuditEntries.path);
  // The record of one thing says nothing of what was seen of the whole.
  const visited = onFilter === undefined ? undefined : choiceOwner;
  const seenUntil = useLastVisit(visited, entries.data?.items[0]?.at);
  return (
    <>
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
        {...(onClearFilters !== undefined && {
          filtered: Object.values(query).some((value) => value !== ""),
          onClearFilters,
        })}
        toolbar={toolbar}
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
            onFilter={
              onFilter &&
              ((target) => {
                setOpened(undefined);
                onFilter(target);
              })
            }
          />
        )}
      </Dialog>
    </>
  );
}

/**
 * Until when the user had seen a record at an earlier visit, in Unix milliseconds; undefined at the
 * first visit, and where the browser refuses storage. The newest entry that is shown now counts for
 * the next visit.
 *
 * @param owner names user and record; undefined stores nothing.
 */
function useLastVisit(owner: string | undefined, newestMs: number | undefined): number | undefined {
  const key = `last_visit:${owner}`;
  const [seenUntil] = useState(() => (owner === undefined ? undefined : readStoredMoment(key)));
  useEffect(() => {
    if (owner === undefined || newestMs === undefined || newestMs <= (readStoredMoment(key) ?? 0))
      return;
    try {
      localStorage.setItem(key, String(newestMs));
    } catch {}
  }, [owner, key, newestMs]);
  return seenUntil;
}

function readStoredMoment(key: string): number | undefined {
  try {
    const moment = Number(localStorage.getItem(key));
    return Number.isFinite(moment) && moment > 0 ? moment : undefined;
  } catch {
    return undefined;
  }
}
