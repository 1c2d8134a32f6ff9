import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  getShadowReport,
  type ShadowReason,
  type ShadowReport,
  type ShadowRun,
  startShadowRun,
  stopShadowRun,
} from "@tollgate/contract/figures/shadow.ts";
import { type SubmitEvent, useState } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { Quota } from "../../components/quota.tsx";
import { isRoot, useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FilterField, Input, Select } from "../../ui/form/input.tsx";
import { formatInteger, missing } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { SmallTable } from "../../ui/table/small-table.tsx";
import { Time } from "../../ui/time.tsx";

const hoursPerDay = 24;
const daysOffered = [1, 3, 7, 31];

const reasonWords: Record<ShadowReason, ReturnType<typeof msg>> = {
  price: msg`Price or ratio differ`,
  estimated: msg`Counted here: the answer reported no usage`,
  not_served: msg`No channel here serves it`,
  failed: msg`The other gateway gave no answer`,
  unmatched: msg`Its charge there is not known`,
  rounding: msg`Rounded differently`,
  same: msg`The same on both sides`,
};
/**
 * `withoutTheirs` are the reasons with which the other side's charge is not known, or nothing was
 * charged.
 */
const withoutTheirs: readonly ShadowReason[] = ["unmatched", "failed"];

/**
 * Few sites have a dual run, and compatible servers none: nothing is asked before root opens it.
 */
export function DualRunCard() {
  const { user } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!isRoot(user)) return null;
  return (
    <Card
      title={<Trans>Dual run</Trans>}
      note={
        <Trans>
          Another gateway answers every call with the caller's own key. This one prices and logs it,
          and charges nothing
        </Trans>
      }
    >
      {isOpen ? (
        <DualRun />
      ) : (
        <Button onClick={() => setOpen(true)}>
          <Trans>Open dual run</Trans>
        </Button>
      )}
    </Card>
  );
}

function DualRun() {
  const report = useQuery({ ...api.query(getShadowReport), select: ({ data }) => data });
  if (report.data === undefined) return <CardLoading source={report} />;
  const { run, differences } = report.data;
  return (
    <div className="flex flex-col gap-6">
      {run === null ? <StartForm /> : <RunningState run={run} />}
      <Differences differences={differences} />
    </div>
  );
}

function StartForm() {
  const { t } = useLingui();
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const { withReauth, dialog } = useReauth();
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const body = {
      address: String(values.get("address")),
      hours: Number(values.get("days")) * hoursPerDay,
    };
    setBusy(true);
    setFailure("");
    try {
      await withReauth((proof) => api.call(startShadowRun, { body: { ...body, ...proof } }));
      await api.refresh(getShadowReport);
    } catch (error) {
      setFailure(readReason(error, t`Operation failed`));
    }
    setBusy(false);
  };
  return (
    <>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <FilterField label={t`Address of the other gateway`}>
            {(id) => (
              <Input
                id={id}
                name="address"
                maxLength={300}
                placeholder="https://old.example.com"
                autoComplete="off"
              />
            )}
          </FilterField>
          <FilterField label={t`Ends after`}>
            {(id) => (
              <Select id={id} name="days" defaultValue="7">
                {daysOffered.map((days) => (
                  <option key={days} value={days}>
                    {t`${days} days`}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
        </div>
        {failure !== "" && <Alert title={failure} />}
        <Button type="submit" variant="primary" busy={isBusy} className="self-start">
          <Trans>Start dual run</Trans>
        </Button>
      </form>
      {dialog}
    </>
  );
}

function RunningState({ run: { address, until } }: { run: ShadowRun }) {
  const { t } = useLingui();
  const [isEnding, setEnding] = useState(false);
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="status" className="[overflow-wrap:anywhere]">
        <Trans>
          Calls are answered by <code className="font-mono">{address}</code>
        </Trans>
        {" · "}
        <Trans>Ends</Trans> <Time seconds={Math.floor(until / 1_000)} />
      </p>
      <Button onClick={() => setEnding(true)}>
        <Trans>End dual run</Trans>
      </Button>
      <Confirm
        open={isEnding}
        onClose={() => setEnding(false)}
        title={t`End dual run`}
        question={<Trans>Starting with the next call, this gateway answers and charges.</Trans>}
        confirmLabel={<Trans>End dual run</Trans>}
        onConfirm={async () => {
          await api.call(stopShadowRun);
          await api.refresh(getShadowReport);
        }}
      />
    </div>
  );
}

function Differences({ differences }: Pick<ShadowReport, "differences">) {
  const { t, i18n } = useLingui();
  const known = differences.filter(({ reason }) => !withoutTheirs.includes(reason));
  const sumOf = (side: "ours" | "theirs"): number => known.reduce((sum, row) => sum + row[side], 0);
  const heads = [t`Calls`, t`Cost here`, t`Cost there`, t`Difference`];
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">
        <Trans>Differences</Trans>
      </h3>
      <p className="text-muted text-sm">
        <Trans>Of the last two months. What one-api charged is learned by the next import</Trans>
      </p>
      {differences.length === 0 ? (
        <p className="py-4 text-center text-muted">
          <Trans>No calls compared yet.</Trans>
        </p>
      ) : (
        <SmallTable label={t`Differences`} words={[t`Model`, t`Reason`]} figures={heads}>
          <tbody>
            {differences.map(({ model, reason, calls, ours, theirs }) => (
              <tr key={`${reason} ${model}`} className="border-line border-t hover:bg-hover">
                <th
                  scope="row"
                  className="min-w-32 px-3 py-2 text-start font-mono font-normal [overflow-wrap:anywhere]"
                >
                  {model}
                </th>
                <td className="min-w-40 px-3">
                  {reason in reasonWords ? i18n._(reasonWords[reason]) : missing}
                </td>
                <td className="numeric px-3">{formatInteger(calls)}</td>
                <Costs ours={ours} theirs={withoutTheirs.includes(reason) ? undefined : theirs} />
              </tr>
            ))}
          </tbody>
          {known.length > 0 && (
            <tfoot>
              <tr className="border-line border-t font-medium">
                <th scope="row" colSpan={2} className="px-3 py-2 text-start font-medium">
                  <Trans>Where both are known</Trans>
                </th>
                <td className="numeric px-3">
                  {formatInteger(known.reduce((sum, { calls }) => sum + calls, 0))}
                </td>
                <Costs ours={sumOf("ours")} theirs={sumOf("theirs")} />
              </tr>
            </tfoot>
          )}
        </SmallTable>
      )}
    </section>
  );
}

function Costs({ ours, theirs }: { ours: number; theirs: number | undefined }) {
  return (
    <>
      <td className="numeric whitespace-nowrap px-3">
        <Quota units={ours} />
      </td>
      <td className="numeric whitespace-nowrap px-3">
        {theirs === undefined ? missing : <Quota units={theirs} />}
      </td>
      <td className="numeric whitespace-nowrap px-3">
        {theirs === undefined ? missing : <Quota units={ours - theirs} />}
      </td>
    </>
  );
}
