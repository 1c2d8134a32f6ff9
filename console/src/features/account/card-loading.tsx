import { useLingui } from "@lingui/react/macro";
import { reasonOf, requestIdOf } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";

type CardLoadingProps = { source: { error: Error | null; isFetching: boolean; refetch: () => unknown } };

/** In place of what a card shows until it has arrived, or why it did not. */
export function CardLoading({ source }: CardLoadingProps) {
  const { t } = useLingui();
  if (source.error !== null) {
    return (
      <Alert
        title={reasonOf(source.error, t`This could not be loaded`)}
        requestId={requestIdOf(source.error)}
        onRetry={() => void source.refetch()}
        retrying={source.isFetching}
      />
    );
  }
  return (
    <>
      <LoadingStatus />
      <Skeleton className="h-9 w-48" />
    </>
  );
}
