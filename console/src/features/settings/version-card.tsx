import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getOwnVersion } from "@tollgate/contract/site/options.ts";
import { ApiError, findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

export function VersionCard() {
  const { t } = useLingui();
  const check = useQuery({ ...api.query(getOwnVersion), enabled: false });
  // Compatible servers have no such endpoint.
  if (check.error instanceof ApiError && check.error.status === 404) return null;
  const version = check.data?.data;
  return (
    <Card title={<Trans>Updates</Trans>}>
      <div className="flex flex-col items-start gap-3">
        {check.error !== null && (
          <Alert
            title={readReason(check.error, t`This could not be loaded`)}
            requestId={findRequestId(check.error)}
          />
        )}
        {version !== undefined && (
          <div role="status">
            <p className="font-mono">{version.tag_name}</p>
            <p className="text-muted text-sm">{version.content}</p>
          </div>
        )}
        <Button busy={check.isFetching} onClick={() => void check.refetch()}>
          <Trans>Check for updates</Trans>
        </Button>
      </div>
    </Card>
  );
}
