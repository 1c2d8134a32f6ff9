import { useLingui } from "@lingui/react/macro";
import { getHomePageContent } from "@tollgate/contract/site/pages.ts";
import { lazy, Suspense, useEffect, useState } from "react";
import { FlashMessage } from "../../components/flash-message.tsx";
import { LazyTokenNotices } from "../../components/keys/lazy-token-notices.tsx";
import { IframePage } from "../../components/texts/iframe-page.tsx";
import { buildIframeUrl } from "../../components/texts/iframe-url.ts";
import {
  readStoredText,
  storeText,
  useOperatorText,
} from "../../components/texts/operator-text.ts";
import { TextLoading } from "../../components/texts/text-loading.tsx";
import { formatSystemName, useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Welcome } from "./welcome.tsx";

const HomeText = lazy(async () => ({ default: (await import("./home-text.tsx")).HomeText }));

const renderedKey = "home_page_content_html";
const storeRendering = (html: string) => storeText(renderedKey, html);

export function HomePage() {
  const { user } = useSession();
  return (
    <>
      {user !== null && <LazyTokenNotices />}
      <div className="mb-8 empty:hidden">
        <FlashMessage />
      </div>
      <HomeContent />
    </>
  );
}

/** The operator's text, or a welcome without one. */
function HomeContent() {
  const { t } = useLingui();
  const { status } = useSession();
  const { text, isLoaded, failure } = useOperatorText(getHomePageContent, "home_page_content");
  const [storedRendering] = useState(() => readStoredText(renderedKey) || undefined);
  useDocumentTitle(t`Home`);
  // An older console may have stored only the rendered HTML.
  const shown = text ?? storedRendering;
  const isFresh = isLoaded && failure === undefined;
  const iframeUrl = buildIframeUrl(shown ?? "", location.origin);
  const isMarkup = iframeUrl === undefined && shown?.trim() !== "";
  // A text that is not rendered replaces the stored rendering.
  useEffect(() => {
    if (text !== undefined && !isMarkup) storeRendering(text);
  }, [text, isMarkup]);
  if (shown === undefined && !isLoaded) return <TextLoading />;
  if (shown === undefined || shown.trim() === "") return <Welcome />;
  if (iframeUrl !== undefined) return <IframePage title={t`Home`} address={iframeUrl} />;
  return (
    <Card className="mx-auto max-w-4xl md:p-8!">
      <h1 className="sr-only">{formatSystemName(status)}</h1>
      <Suspense fallback={<TextLoading />}>
        <HomeText
          source={shown}
          rendered={isFresh ? undefined : storedRendering}
          onRendered={storeRendering}
        />
      </Suspense>
    </Card>
  );
}
