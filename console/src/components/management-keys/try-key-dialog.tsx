import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  type ManagementKey,
  tryManagementKey,
} from "@tollgate/contract/accounts/management-keys.ts";
import {
  clientGroup,
  type DescribedOperation,
  listDescribedOperations,
} from "@tollgate/contract/api/described-operations.ts";
import { getOpenApi } from "@tollgate/contract/commands/documents.ts";
import { type SubmitEvent, useMemo, useState } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterField, Input, Select, Textarea } from "../../ui/form/input.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { CaptionedCode } from "../captioned-code.tsx";
import { CardLoading } from "../forms/form-loading.tsx";
import { findFirstTriedCall } from "./first-tried-call.ts";

type TryKeyDialogProps = { row: ManagementKey; onClose: () => void };

/** `TryKeyDialog` shows the answer that a program with this key would get, as a dry run of it. */
export function TryKeyDialog({ row, onClose }: TryKeyDialogProps) {
  const { t } = useLingui();
  const { name } = row;
  const document = useQuery({ ...api.query(getOpenApi), staleTime: Number.POSITIVE_INFINITY });
  return (
    <Dialog open onClose={onClose} title={t`Try ${name}`} width="md">
      {document.data === undefined ? (
        <CardLoading source={document} />
      ) : (
        <TryKeyForm row={row} document={document.data.data} />
      )}
    </Dialog>
  );
}

type TrialReply = { status: number; reply: Record<string, unknown> };

function TryKeyForm({ row, document }: { row: ManagementKey; document: Record<string, unknown> }) {
  const { t } = useLingui();
  const operations = useMemo(
    () => listDescribedOperations(document).filter(({ group }) => group !== clientGroup),
    [document],
  );
  const [chosen, setChosen] = useState(() => findFirstTriedCall(operations, row.scopes));
  const [answer, setAnswer] = useState<TrialReply>();
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!chosen) return;
    const values = new FormData(event.currentTarget);
    const text = (field: string) => String(values.get(field) ?? "").trim();
    setBusy(true);
    setAnswer(undefined);
    setFailure("");
    try {
      const body: Record<string, unknown> = JSON.parse(text("body") || "{}");
      const asked = { operation: chosen.id, address: text("address"), body };
      const { data } = await api.call(tryManagementKey, { params: { id: row.uuid }, body: asked });
      setAnswer(data);
    } catch (error) {
      setFailure(
        error instanceof SyntaxError
          ? t`The body is not valid JSON`
          : readReason(error, t`Operation failed`),
      );
    }
    setBusy(false);
  };

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <p className="text-muted">
        <Trans>The gateway checks the rights and the body, and changes nothing.</Trans>
      </p>
      <FilterField label={t`Call`}>
        {(id) => (
          <Select
            id={id}
            value={chosen?.id}
            onChange={({ target }) => {
              setChosen(operations.find((one) => one.id === target.value));
              setAnswer(undefined);
            }}
          >
            {listGroups(operations).map(([group, members]) => (
              <optgroup key={group} label={group}>
                {members.map(({ id: operation, method, path }) => (
                  <option key={operation} value={operation}>{`${method} ${path}`}</option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </FilterField>
      {chosen?.body && (
        <FilterField label={t`Body`}>
          {(id) => (
            <Textarea
              // Another operation has another example.
              key={chosen.id}
              id={id}
              name="body"
              rows={6}
              spellCheck={false}
              defaultValue={JSON.stringify(chosen.example ?? {}, null, 2)}
              className="font-mono text-sm!"
            />
          )}
        </FilterField>
      )}
      {row.subnet !== "" && (
        <FilterField label={t`From address (empty for an allowed one)`}>
          {(id) => <Input id={id} name="address" autoComplete="off" />}
        </FilterField>
      )}
      <div>
        <Button type="submit" variant="primary" busy={isBusy}>
          <Trans>Try</Trans>
        </Button>
      </div>
      <div aria-live="polite">
        {failure !== "" && <Alert title={failure} />}
        {answer && <KeyAnswer {...answer} />}
      </div>
    </form>
  );
}

function KeyAnswer({ status, reply }: TrialReply) {
  const { t } = useLingui();
  return (
    <>
      {reply.success !== true && <Alert title={String(reply.message)} />}
      <CaptionedCode
        label={t`The reply, with status ${status}`}
        code={JSON.stringify(reply, null, 2)}
      />
    </>
  );
}

function listGroups(
  operations: readonly DescribedOperation[],
): [group: string, members: DescribedOperation[]][] {
  return [...Map.groupBy(operations, ({ group }) => group)];
}
