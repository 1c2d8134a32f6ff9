import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { CallCheckForm } from "./call-check-form.tsx";
import { buildQuery, buildQuestion, buildSearch } from "./call-check-question.ts";
import { CallCheckResult } from "./call-check-result.tsx";

/**
 * `CallCheckPage` says whether a call would work now. The question is in the address, so that other
 * pages link to it.
 */
export function CallCheckPage() {
  const { t } = useLingui();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const question = buildQuestion(search);
  const check = useQuery({
    ...api.query(checkCall, { query: buildQuery(question) }),
    enabled: question.model !== "",
    select: (reply) => reply.data,
  });
  return (
    <Page
      title={t`Would this call work?`}
      subtitle={t`Checked right now by the same rules as real calls. Nothing is sent or charged.`}
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
        <CallCheckForm
          key={JSON.stringify(question)}
          asked={question}
          busy={check.isFetching}
          onAsk={(next) => {
            const isSame = JSON.stringify(next) === JSON.stringify(question);
            if (isSame) void check.refetch();
            else void navigate({ to: ".", search: buildSearch(next) as never });
          }}
        />
        {question.model === "" ? (
          <Card title={<Trans>What is checked</Trans>}>
            <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-muted">
              <li>
                <Trans>Whether the key may be used, and for this model.</Trans>
              </li>
              <li>
                <Trans>
                  Which channels would be tried, in their order, and why others are left out.
                </Trans>
              </li>
              <li>
                <Trans>
                  Limits of the key, and whether its quota and the balance cover the call.
                </Trans>
              </li>
            </ol>
          </Card>
        ) : check.error !== null ? (
          <Alert
            title={readReason(check.error, t`Operation failed`)}
            requestId={findRequestId(check.error)}
            onRetry={() => void check.refetch()}
            retrying={check.isFetching}
          />
        ) : check.data === undefined ? (
          <div className="flex flex-col gap-3">
            <LoadingStatus />
            <Skeleton className="h-24" />
            <Skeleton className="h-40" />
          </div>
        ) : (
          <CallCheckResult check={check.data} />
        )}
      </div>
    </Page>
  );
}
