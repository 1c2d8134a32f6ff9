import { Trans, useLingui } from "@lingui/react/macro";
import { findRequestId, readCode, readReason } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";

type LoadingSource = { error: Error | null; isFetching: boolean; refetch: () => unknown };

type FormLoadingProps = {
  source: LoadingSource;
  /** The loading text of the specification. */
  text: string;
  /** About the number of fields of the form, so that little moves when it loads. */
  fields: number;
  /** The list to link to when the resource no longer exists. */
  list?: { to: string; label: string };
};

/** The placeholder of an edit form while its data loads, or the error. */
export function FormLoading({ source, text, fields, list }: FormLoadingProps) {
  if (source.error !== null) {
    const isGone = list !== undefined && readCode(source.error).endsWith("_not_found");
    return (
      <Alert
        title={<Trans>This could not be loaded</Trans>}
        requestId={findRequestId(source.error)}
        onRetry={isGone ? undefined : () => void source.refetch()}
        retrying={source.isFetching}
      >
        <p>{readReason(source.error, "")}</p>
        {isGone && (
          <ButtonLink to={list.to} size="sm" className="mt-2">
            {list.label}
          </ButtonLink>
        )}
      </Alert>
    );
  }
  return (
    <div className="flex max-w-xl flex-col gap-6 rounded-lg border border-line bg-card p-4">
      <p role="status" className="text-muted text-sm">
        {text}
      </p>
      {Array.from({ length: fields }, (_, field) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: skeleton fields are all alike
        <div key={field} className="flex flex-col gap-2">
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-9" />
        </div>
      ))}
    </div>
  );
}

/** The placeholder of a card while its data loads, or the error. */
export function CardLoading({ source }: { source: LoadingSource }) {
  const { t } = useLingui();
  if (source.error !== null) {
    return (
      <Alert
        title={readReason(source.error, t`This could not be loaded`)}
        requestId={findRequestId(source.error)}
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
