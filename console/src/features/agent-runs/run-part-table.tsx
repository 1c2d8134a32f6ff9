import { Trans, useLingui } from "@lingui/react/macro";
import type { RunPart } from "@tollgate/contract/figures/runs.ts";
import { Quota } from "../../components/quota.tsx";
import { formatInteger } from "../../ui/format.ts";
import { SmallTable } from "../../ui/table/small-table.tsx";

type RunPartTableProps = { label: string; parts: readonly RunPart[]; costs?: boolean };

/** The models of a run with what they cost, or its tools. */
export function RunPartTable({ label, parts, costs = false }: RunPartTableProps) {
  const { t } = useLingui();
  if (parts.length === 0)
    return (
      <p className="py-6 text-center text-muted">
        <Trans>None in this run</Trans>
      </p>
    );
  return (
    <SmallTable
      label={label}
      words={[t`Name`]}
      figures={[t`Calls`, t`Failed`, ...(costs ? [t`Cost`] : [])]}
      height="max-h-96 print:max-h-none"
    >
      <tbody>
        {parts.map((part) => (
          <tr key={part.name} className="border-line border-t">
            <th scope="row" className="px-3 py-2 text-start font-normal [overflow-wrap:anywhere]">
              {part.name}
            </th>
            <td className="numeric px-3">{formatInteger(part.calls)}</td>
            <td className="numeric px-3">{formatInteger(part.failures)}</td>
            {costs && (
              <td className="numeric px-3">
                <Quota units={part.quota} isOwn />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </SmallTable>
  );
}
