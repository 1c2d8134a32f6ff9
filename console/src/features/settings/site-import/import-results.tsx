import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type {
  ImportFinding,
  SiteImport,
  SiteImportComparison,
  SiteImportLoss,
} from "@tollgate/contract/commands/site-imports.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { formatInteger, missing } from "../../../ui/format.ts";
import { SmallTable } from "../../../ui/table/small-table.tsx";
import { findDifferenceWords, findLossSentence, readLossSubject } from "./import-loss-words.ts";

const rowNames: Readonly<Record<string, ReturnType<typeof msg>>> = {
  option: msg`Settings`,
  user: msg`Users`,
  team: msg`Teams`,
  channel: msg`Channels`,
  model: msg`Virtual models`,
  token: msg`Tokens`,
  code: msg`Redemptions`,
  log: msg`Log entries`,
  shadow: msg`Calls of the dual run`,
};

const lossNouns: Readonly<Record<string, ReturnType<typeof msg>>> = {
  option: msg`Setting`,
  user: msg`User`,
  team: msg`Team`,
  channel: msg`Channel`,
  model: msg`Virtual model`,
  token: msg`Token`,
  code: msg`Redemption code`,
  log: msg`Log`,
  shadow: msg`Call of the dual run`,
  site: msg`Table`,
};

export function ImportCounts({ counts, isPlan }: Pick<SiteImport, "counts"> & { isPlan: boolean }) {
  const { t, i18n } = useLingui();
  const heads = [isPlan ? t`To import` : t`Carried`, t`Updated`, t`Unchanged`, t`Left`];
  return (
    <SmallTable label={t`Rows`} words={[t`Rows`]} figures={heads}>
      <tbody>
        {counts.map(({ entity, added, changed, unchanged, left }) => (
          <tr key={entity} className="border-line border-t">
            <th scope="row" className="px-3 py-2 text-start font-normal">
              {rowNames[entity] ? i18n._(rowNames[entity]) : entity}
            </th>
            <td className="numeric px-3">{formatInteger(added)}</td>
            <td className="numeric px-3">{formatInteger(changed)}</td>
            <td className="numeric px-3">{formatInteger(unchanged)}</td>
            <td className="numeric px-3">{formatInteger(left)}</td>
          </tr>
        ))}
      </tbody>
    </SmallTable>
  );
}

export function ImportFindings({ findings }: Pick<SiteImport, "findings">) {
  const grave = findings.filter(({ is_grave }) => is_grave);
  const others = findings.filter(({ is_grave }) => !is_grave);
  return (
    <>
      {grave.length > 0 && (
        <Card
          title={<Trans>Read before the change-over</Trans>}
          note={<Trans>They concern money, access, or a protection that ends</Trans>}
        >
          <FindingList findings={grave} />
        </Card>
      )}
      {others.length > 0 && (
        <Card title={<Trans>Not carried, or carried otherwise</Trans>}>
          <FindingList findings={others} />
        </Card>
      )}
    </>
  );
}

function FindingList({ findings }: { findings: readonly ImportFinding[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm [overflow-wrap:anywhere]">
      {findings.flatMap(({ reason, losses, count }) => [
        ...losses.map((loss) => (
          <LossLine
            key={`${reason} ${loss.entity} ${loss.source_id} ${loss.field}`}
            reason={reason}
            loss={loss}
          />
        )),
        ...(count > losses.length
          ? [
              <li key={reason} className="text-muted">
                <Plural
                  value={count - losses.length}
                  one="and # more of this kind"
                  other="and # more of this kind"
                />
              </li>,
            ]
          : []),
      ])}
    </ul>
  );
}

function LossLine({ reason, loss }: { reason: string; loss: SiteImportLoss }) {
  const { i18n } = useLingui();
  const noun = lossNouns[loss.entity];
  const sentence = findLossSentence(reason, loss);
  return (
    <li>
      <span className="font-semibold">
        {noun ? i18n._(noun) : loss.entity} {readLossSubject(reason, loss)}
      </span>{" "}
      {typeof sentence === "string" ? sentence : i18n._(sentence)}
    </li>
  );
}

export function ImportComparisonCard({ comparison }: { comparison: SiteImportComparison }) {
  const { t, i18n } = useLingui();
  const { compared, difference_count, differences } = comparison;
  const wordsOf = (what: string): string => {
    const words = findDifferenceWords(what);
    return words ? i18n._(words) : what;
  };
  if (difference_count === 0) {
    return (
      <Alert
        tone="good"
        title={
          <Plural
            value={compared}
            one="# row was compared: no difference"
            other="# rows were compared: no difference"
          />
        }
      />
    );
  }
  const heads = [t`Rows`, t`Name`, t`What differs`, t`There`, t`Here`];
  return (
    <Card
      title={<Trans>Differences</Trans>}
      note={
        Number.isNaN(difference_count) ? (
          missing
        ) : (
          <Plural
            value={difference_count}
            one="# difference to the source"
            other="# differences to the source"
          />
        )
      }
    >
      <SmallTable label={t`Differences`} words={heads}>
        <tbody>
          {differences.map(({ entity, name, what, theirs, ours }) => (
            <tr key={`${entity} ${name} ${what}`} className="border-line border-t">
              <td className="px-3 py-2">{rowNames[entity] ? i18n._(rowNames[entity]) : entity}</td>
              <td className="min-w-32 px-3 [overflow-wrap:anywhere]">{name}</td>
              <td className="px-3">{wordsOf(what)}</td>
              <td className="px-3 [overflow-wrap:anywhere]">{theirs}</td>
              <td className="px-3 [overflow-wrap:anywhere]">{ours}</td>
            </tr>
          ))}
        </tbody>
      </SmallTable>
    </Card>
  );
}
