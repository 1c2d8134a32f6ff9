import { Trans, useLingui } from "@lingui/react/macro";
import { IframePage } from "../../components/texts/iframe-page.tsx";
import { buildIframeUrl } from "../../components/texts/iframe-url.ts";
import { isRoot, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Page, useDocumentTitle } from "../../ui/page.tsx";

export function ChatPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const link = status.chat_link ?? "";
  const iframeUrl = buildIframeUrl(link, location.origin);
  useDocumentTitle(t`Chat`);
  if (iframeUrl !== undefined) return <IframePage title={t`Chat`} address={iframeUrl} />;
  const reason =
    link === ""
      ? t`The operator of this gateway has not set up a chat page.`
      : t`The chat link must be the https address of another site.`;
  return (
    <Page title={t`Chat Not Available`} subtitle={reason}>
      <div>
        {isRoot(user) ? (
          <ButtonLink to="/settings">
            <Trans>Go to the settings</Trans>
          </ButtonLink>
        ) : (
          <ButtonLink to="/dashboard">
            <Trans>Go to the dashboard</Trans>
          </ButtonLink>
        )}
      </div>
    </Page>
  );
}
