import { useLingui } from "@lingui/react/macro";
import { getHomePageContent } from "@tollgate/contract/pages.ts";
import { lazy, Suspense, useEffect, useState } from "react";
import { framedAddress } from "../../pieces/framed-address.ts";
import { store, stored, useOperatorText } from "../../pieces/operator-text.ts";
import { PageFrame } from "../../pieces/page-frame.tsx";
import { PassedMessage } from "../../pieces/passed-message.tsx";
import { TextLoading } from "../../pieces/text-loading.tsx";
import { systemName, useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Welcome } from "./welcome.tsx";

const HomeText = lazy(async () => ({ default: (await import("./home-text.tsx")).HomeText }));

const renderedKey = "home_page_content_html";
const keepRendering = (html: string) => store(renderedKey, html);

export function HomePage() {
  return (
    <>
      <div className="mb-8 empty:hidden">
        <PassedMessage />
      </div>
      <HomeContent />
    </>
  );
}

/** What the operator says here, or a welcome where they say nothing. */
function HomeContent() {
  const { t } = useLingui();
  const { status } = useSession();
  const { text, isLoaded, failure } = useOperatorText(getHomePageContent, "home_page_content");
  const [renderedBefore] = useState(() => stored(renderedKey) || undefined);
  useDocumentTitle(t`Home`);
  // An older console may have kept the rendering alone.
  const shown = text ?? renderedBefore;
  const isFresh = isLoaded && failure === undefined;
  const framed = framedAddress(shown ?? "", location.origin);
  const isMarkup = framed === undefined && shown?.trim() !== "";
  // What needs no rendering replaces the one that was kept.
  useEffect(() => {
    if (text !== undefined && !isMarkup) keepRendering(text);
  }, [text, isMarkup]);
  if (shown === undefined && !isLoaded) return <TextLoading />;
  if (shown === undefined || shown.trim() === "") return <Welcome />;
  if (framed !== undefined) return <PageFrame title={t`Home`} address={framed} />;
  return (
    <Card className="mx-auto max-w-4xl md:p-8!">
      <h1 className="sr-only">{systemName(status)}</h1>
      <Suspense fallback={<TextLoading />}>
        <HomeText source={shown} rendered={isFresh ? undefined : renderedBefore} onRendered={keepRendering} />
      </Suspense>
    </Card>
  );
}
