import { Trans, useLingui } from "@lingui/react/macro";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";

export function NotFoundPage() {
  const { t } = useLingui();
  return (
    <Page
      title={t`Page not found`}
      subtitle={t`This page does not exist. It may have moved, or the link is incomplete.`}
    >
      <div>
        <ButtonLink to="/" variant="primary">
          <Trans>Go to the start</Trans>
        </ButtonLink>
      </div>
    </Page>
  );
}
