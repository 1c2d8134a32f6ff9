import { Trans, useLingui } from "@lingui/react/macro";
import { getAbout } from "@tollgate/contract/site/pages.ts";
import { lazy, Suspense } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { IframePage } from "../../components/texts/iframe-page.tsx";
import { buildIframeUrl } from "../../components/texts/iframe-url.ts";
import { useOperatorText } from "../../components/texts/operator-text.ts";
import { TextLoading } from "../../components/texts/text-loading.tsx";
import { formatSystemName, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page, useDocumentTitle } from "../../ui/page.tsx";

const RichText = lazy(async () => ({
  default: (await import("../../components/texts/rich-text.tsx")).RichText,
}));

export function AboutPage() {
  const { t } = useLingui();
  const { text, isLoaded, failure, retry } = useOperatorText(getAbout, "about");
  const iframeUrl = buildIframeUrl(text ?? "", location.origin);
  useDocumentTitle(t`About`);
  if (iframeUrl !== undefined) return <IframePage title={t`About`} address={iframeUrl} />;
  const models = (
    <ButtonLink to="/models">
      <Trans>See models and prices</Trans>
    </ButtonLink>
  );
  return (
    <Page title={t`About`} action={models}>
      {!text && failure !== undefined && (
        <Alert
          title={t`About content failed to load.`}
          requestId={findRequestId(failure)}
          onRetry={retry}
        >
          {readReason(failure, t`The gateway did not say why.`)}
        </Alert>
      )}
      {text === undefined && !isLoaded ? <TextLoading /> : <AboutText text={text ?? ""} />}
    </Page>
  );
}

function AboutText({ text }: { text: string }) {
  return (
    <Card className="md:p-8!">
      {text.trim() === "" ? (
        <DefaultText />
      ) : (
        <Suspense fallback={<TextLoading />}>
          <RichText source={text} />
        </Suspense>
      )}
    </Card>
  );
}

function DefaultText() {
  const { status } = useSession();
  const name = formatSystemName(status);
  return (
    <div className="flex max-w-2xl flex-col gap-2">
      <p className="font-semibold text-lg">
        <Trans>Welcome to {name}</Trans>
      </p>
      <p className="text-muted">
        <Trans>
          This is a gateway to many AI models: one address, one key and one account of what every
          call costs. Its operator has not written about it yet.
        </Trans>
      </p>
    </div>
  );
}
