import { Trans, useLingui } from "@lingui/react/macro";
import { beginSiteImport, getSiteImport, planSiteImport } from "@tollgate/contract/site-imports.ts";
import { type SubmitEvent, useId, useState } from "react";
import { reasonOf } from "../../../api-error.ts";
import { api } from "../../../api-queries.ts";
import { useReauth } from "../../../shell/use-reauth.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Checkbox, FilterField, Input, Select, Textarea } from "../../../ui/input.tsx";
import { uploadImportFile } from "./upload-import-file.ts";

const bytesPerMegabyte = 1_000_000;
const wholePercent = 100;

/** Names the source, sends its file, and asks for the plan. */
export function ImportBeginForm() {
  const { t } = useLingui();
  const logsId = useId();
  const [kind, setKind] = useState<"file" | "address">("file");
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [sent, setSent] = useState("");
  const { withReauth, dialog } = useReauth();

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string): string => String(values.get(name) ?? "");
    const file = values.get("file");
    if (kind === "file" && !(file instanceof File && file.size > 0)) return setFailure(t`Choose a file`);
    const body = {
      kind,
      name: text("name"),
      logs: values.get("logs") !== null,
      ...(kind === "address" && { address: text("address") }),
      ...(text("environment") !== "" && { environment: text("environment") }),
    };
    setBusy(true);
    setFailure("");
    try {
      await withReauth((proof) => api.call(beginSiteImport, { body: { ...body, ...proof } }));
      if (file instanceof File && kind === "file") {
        await uploadImportFile(file, (bytes) => setSent(`${Math.floor((bytes / file.size) * wholePercent)} %`));
      }
      await api.call(planSiteImport);
    } catch (error) {
      setFailure(reasonOf(error, t`Operation failed`));
    }
    setBusy(false);
    setSent("");
    await api.refresh(getSiteImport);
  };

  return (
    <Card
      title={<Trans>Source</Trans>}
      note={<Trans>one-api, its fork by Laisky, new-api or LiteLLM. The other system is only read</Trans>}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <FilterField label={t`Where its data is`}>
            {(id) => (
              <Select
                id={id}
                value={kind}
                onChange={(event) => setKind(event.target.value === "address" ? "address" : "file")}
              >
                <option value="file">{t`In a file`}</option>
                <option value="address">{t`On a database server`}</option>
              </Select>
            )}
          </FilterField>
          {kind === "file" ? (
            <FilterField label={t`SQLite database, or config.yaml of LiteLLM`}>
              {(id) => <Input id={id} name="file" type="file" className="py-1.5" />}
            </FilterField>
          ) : (
            <FilterField label={t`Address, or SQL_DSN of that system`}>
              {(id) => (
                <Input
                  id={id}
                  name="address"
                  maxLength={2_000}
                  placeholder="postgres://user:password@host/name"
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </FilterField>
          )}
          <FilterField label={t`Name of the source: the same in every run`}>
            {(id) => <Input id={id} name="name" maxLength={50} defaultValue="main" autoComplete="off" />}
          </FilterField>
        </div>
        <FilterField label={t`LiteLLM: its environment, such as LITELLM_SALT_KEY=…, one variable a line`}>
          {(id) => (
            <Textarea id={id} name="environment" rows={2} className="font-mono" autoComplete="off" spellCheck={false} />
          )}
        </FilterField>
        <label htmlFor={logsId} className="flex items-center gap-2 self-start font-medium">
          <Checkbox id={logsId} name="logs" />
          <Trans>Carry the log too</Trans>
        </label>
        {failure !== "" && <Alert title={failure} />}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" busy={isBusy}>
            <Trans>Show the plan</Trans>
          </Button>
          {sent !== "" && (
            <span role="status" className="text-muted text-sm tabular-nums">
              <Trans>Sent: {sent}</Trans>
            </span>
          )}
        </div>
      </form>
      {dialog}
    </Card>
  );
}

/** For people: megabytes of a million bytes. */
export const megabytes = (bytes: number): string => `${(bytes / bytesPerMegabyte).toFixed(1)} MB`;
