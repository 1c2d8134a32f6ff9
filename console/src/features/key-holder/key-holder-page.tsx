import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useState } from "react";
import { readReason } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FieldFrame } from "../../ui/form/form-field.tsx";
import { Input } from "../../ui/form/input.tsx";
import { Page } from "../../ui/page.tsx";
import { type KeyReport, readKeyReport } from "./ask-with-key.ts";
import { KeyReportCards } from "./key-report-cards.tsx";

/** Longer than any key that is accepted. */
const keyLengthMax = 256;

/**
 * `KeyHolderPage` is for holders of an API key who have no account: this page alone keeps the key,
 * and leaving the page drops it.
 */
export function KeyHolderPage() {
  const { t } = useLingui();
  const [report, setReport] = useState<KeyReport>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState("");
  const id = useId();
  const ask = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      setReport(await readKeyReport(key.trim()));
    } catch (error) {
      setReport(undefined);
      setFailure(readReason(error, t`An unexpected error occurred`));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== "" && !isBusy) void ask();
  };
  return (
    <Page
      title={t`Your API key`}
      subtitle={t`What an API key may do and has used, for its holder; no account is needed`}
    >
      <Card>
        <form
          onSubmit={submit}
          className="flex max-w-xl flex-col items-start gap-4"
          autoComplete="off"
        >
          <div className="w-full">
            <FieldFrame
              id={id}
              label={t`API key`}
              help={t`It is sent only to this gateway, and is neither stored nor written into an address.`}
              error={undefined}
            >
              <Input
                id={id}
                aria-describedby={`${id}-help`}
                type="password"
                value={key}
                maxLength={keyLengthMax}
                autoComplete="off"
                spellCheck={false}
                required
                // A report is about the key that it was asked for.
                readOnly={isBusy}
                className="font-mono"
                onChange={(event) => {
                  setKey(event.target.value);
                  setReport(undefined);
                  setFailure(undefined);
                }}
              />
            </FieldFrame>
          </div>
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" busy={isBusy}>
              <Trans>Show</Trans>
            </Button>
            {report !== undefined && (
              <Button
                onClick={() => {
                  setKey("");
                  setReport(undefined);
                }}
              >
                <Trans>Forget the key</Trans>
              </Button>
            )}
          </div>
        </form>
      </Card>
      <div aria-live="polite" className="flex flex-col gap-4">
        {failure !== undefined && (
          <Alert title={<Trans>The gateway does not accept this key now</Trans>}>{failure}</Alert>
        )}
        {report !== undefined && <KeyReportCards report={report} />}
      </div>
    </Page>
  );
}
