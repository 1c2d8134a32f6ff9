import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { OfferedModel } from "@tollgate/contract/catalogue/provider-check.ts";
import { type ReactNode, useState } from "react";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox, FilterField, Input } from "../../ui/form/input.tsx";
import { formatDurationMs, formatOwnDollars, missing } from "../../ui/format.ts";
import { SmallTable } from "../../ui/table/small-table.tsx";
import { type ConnectReply, findProof, readModelNames } from "./connect-proof.ts";

type ConnectReportProps = {
  report: ConnectReply;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  /** The field with the name of the channel. */
  name: ReactNode;
  /** The button that adds the channel. */
  children: ReactNode;
};

/** `ConnectReport` shows what the provider said. Warnings stand beside it and hold nothing back. */
export function ConnectReport({ report, chosen, onChoose, name, children }: ConnectReportProps) {
  const { t } = useLingui();
  const { address_issue, list_failure, models, test } = report;
  const proof = findProof(report);
  const took = formatDurationMs(test?.elapsed_ms);
  return (
    <Card
      title={<Trans>Models</Trans>}
      note={
        models.length === 0 || proof === "nothing" ? undefined : proof === "listed" ? (
          <Trans>The provider lists these models for this key. Prices per 1M tokens.</Trans>
        ) : (
          <Trans>
            The provider did not send its list. These are names we know. Prices per 1M tokens.
          </Trans>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {address_issue !== "" ? (
          <Alert tone="bad" title={t`Calls to this address will be refused`}>
            <FailureText text={t`The address ${address_issue}`} />
          </Alert>
        ) : proof === "nothing" ? (
          // One reason for both: a key or an address that the list was refused for answers no
          // question either.
          <Alert tone="bad" title={t`No call with this account succeeded`}>
            <FailureText text={list_failure || test?.message || ""} />
          </Alert>
        ) : (
          list_failure !== "" && (
            <Alert tone="warn" title={t`The provider did not list its models`}>
              <FailureText text={list_failure} />
            </Alert>
          )
        )}
        {test !== null &&
          proof !== "nothing" &&
          (test.ok ? (
            <Alert tone="good" title={t`${test.model} answered in ${took}`}>
              {test.message}
            </Alert>
          ) : (
            <Alert tone="bad" title={t`${test.model} did not answer`}>
              <FailureText text={test.message} />
            </Alert>
          ))}
        {proof === "nothing" ? (
          <TypedModels onChoose={onChoose} />
        ) : (
          models.length > 0 && <OfferedModels models={models} chosen={chosen} onChoose={onChoose} />
        )}
        {chosen.size === 0 && proof !== "nothing" && (
          <Alert tone="warn" title={t`No model is chosen`}>
            <Trans>You can add the channel, but no call will reach it.</Trans>
          </Alert>
        )}
        {name}
        <div className="flex flex-wrap items-center justify-end gap-3 border-line border-t pt-4">
          <span className="text-muted text-sm">
            <Plural value={chosen.size} one="# model" other="# models" />
          </span>
          {children}
        </div>
      </div>
    </Card>
  );
}

/**
 * `TypedModels` is for an administrator who knows better than the check: nothing is proposed that
 * the provider did not say.
 */
function TypedModels({ onChoose }: Pick<ConnectReportProps, "onChoose">) {
  const { t } = useLingui();
  return (
    <FilterField label={t`Models to add anyway`}>
      {(id) => (
        <Input
          id={id}
          className="w-full font-mono"
          placeholder="gpt-5.6-terra, gpt-5.6-luna"
          onChange={(event) => onChoose(new Set(readModelNames(event.target.value)))}
        />
      )}
    </FilterField>
  );
}

/** Above this number a list gets a search box. */
const searchedFrom = 12;
const shownMax = 300;

function OfferedModels({
  models,
  chosen,
  onChoose,
}: Pick<ConnectReportProps, "chosen" | "onChoose"> & { models: readonly OfferedModel[] }) {
  const { t } = useLingui();
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const found = models
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.is_usual) - Number(a.is_usual));
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChoose(next);
  };
  const namesOf = (list: readonly OfferedModel[]) => new Set(list.map(({ name }) => name));
  const price = (dollars: number | null) =>
    dollars === null ? missing : formatOwnDollars(dollars);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {models.length > searchedFrom && (
          <Input
            controlSize="sm"
            className="max-w-56"
            aria-label={t`Search models`}
            placeholder={t`Search models`}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <Button
          size="sm"
          variant="ghost"
          onClick={() => onChoose(namesOf(models.filter((one) => one.is_usual)))}
        >
          <Trans>The usual ones</Trans>
        </Button>
        <Button
          size="sm"
          variant="ghost"
          onClick={() => onChoose(new Set([...chosen, ...namesOf(found)]))}
        >
          <Trans>All</Trans>
        </Button>
        <Button size="sm" variant="ghost" onClick={() => onChoose(new Set())}>
          <Trans>None</Trans>
        </Button>
      </div>
      <SmallTable
        label={t`Models of the provider`}
        words={[t`Model`]}
        figures={[t`Input`, t`Output`]}
        height="max-h-96"
      >
        <tbody>
          {found.slice(0, shownMax).map(({ name, input_price, output_price }) => (
            <tr key={name} className="border-line border-t hover:bg-hover">
              <td className="px-3">
                <label htmlFor={`model-${name}`} className="flex min-h-8 items-center gap-2">
                  <Checkbox
                    id={`model-${name}`}
                    checked={chosen.has(name)}
                    onChange={() => toggle(name)}
                  />
                  <span className="min-w-0 font-mono [overflow-wrap:anywhere]">{name}</span>
                </label>
              </td>
              <td className="numeric px-3">{price(input_price)}</td>
              <td className="numeric px-3">{price(output_price)}</td>
            </tr>
          ))}
        </tbody>
      </SmallTable>
      {found.length > shownMax && (
        <p className="text-muted text-sm">
          <Trans>Showing the first {shownMax}.</Trans>
        </p>
      )}
    </div>
  );
}
