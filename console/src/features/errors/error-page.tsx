import { Trans, useLingui } from "@lingui/react/macro";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ApiError, findRequestId } from "../../api-error.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorDetails } from "../../ui/part-boundary.tsx";

/**
 * Shown for a page that failed to render, or whose code failed to load (after an update, or
 * offline).
 */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useLingui();
  const router = useRouter();
  const retry = async () => {
    reset();
    await router.invalidate();
  };
  return (
    <Page
      title={t`This page could not be shown`}
      subtitle={t`The rest of the console still works.`}
    >
      <Alert
        title={error instanceof ApiError ? error.message : t`An unexpected error occurred`}
        requestId={findRequestId(error)}
        onRetry={() => void retry()}
      >
        <p>
          <Trans>
            If this does not go away, reload the page. The console may have been updated.
          </Trans>
        </p>
        {error instanceof Error && !(error instanceof ApiError) && <ErrorDetails error={error} />}
      </Alert>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => location.reload()}>
          <Trans>Reload the page</Trans>
        </Button>
        <ButtonLink to="/">
          <Trans>Go to the start</Trans>
        </ButtonLink>
      </div>
    </Page>
  );
}
