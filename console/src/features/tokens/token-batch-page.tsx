import { Trans, useLingui } from "@lingui/react/macro";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { api } from "../../api-queries.ts";
import { parseNames } from "../../components/batch/batch-names.ts";
import { BatchResult } from "../../components/batch/batch-result.tsx";
import { useBatch } from "../../components/batch/use-batch.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Page } from "../../ui/page.tsx";
import { saveSpendingLimit } from "./save-spending-limit.ts";
import { TokenForm } from "./token-form.tsx";
import { buildTokenCreate, newToken, type TokenFormOutput } from "./token-form-values.ts";

/** A key for each name of a list, all with the same limits. */
export function TokenBatchPage() {
  const { t } = useLingui();
  const knowsTokenLimits = hasFeature(useSession().status, "token_limits");
  const batch = useBatch();
  const makeFor = (values: TokenFormOutput) => async (name: string, idempotencyKey: string) => {
    const body = buildTokenCreate({ ...values, name });
    const { data } = await api.call(createToken, { body, idempotencyKey });
    const unsaved = await saveSpendingLimit(data, values);
    if (unsaved !== undefined) throw new Error(unsaved.message);
    return data.key;
  };
  return (
    <Page title={t`Several keys`} subtitle={t`One key for each name, all with the same limits`}>
      {batch.entries === undefined ? (
        <TokenForm
          initial={newToken}
          isBatch
          hasLimits={knowsTokenLimits}
          submit={<Trans>Create keys</Trans>}
          submitting={<Trans>Creating...</Trans>}
          onSubmit={async (values) => batch.start(parseNames(values.name), makeFor(values))}
        />
      ) : (
        <BatchResult
          title={<Trans>Keys</Trans>}
          entries={batch.entries}
          isRunning={batch.isRunning}
          secretName={t`Key`}
          fileName="keys.csv"
          warning={t`Send keys over a secure channel: anyone who has a key can spend.`}
          listTo="/tokens"
          onRetry={batch.retry}
        />
      )}
    </Page>
  );
}
