import { useLingui } from "@lingui/react/macro";
import { reasonOf, requestIdOf } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";

type CardLoadingProps = { source: { error: Error | null; isFetching: boolean; refetch: () => unknown } };

/** The placeholder of a card while its data loads, or the error. */
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
