import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { formatSystemName, useSession } from "../session.ts";
import { TooltipBubble } from "../ui/menu/tooltip.tsx";
import { DocumentName } from "../ui/page.tsx";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { Notice } from "./notice.tsx";
import { ReadOnlyBar } from "./read-only-bar.tsx";
import { SkipLink } from "./skip-link.tsx";

/** The frame around every page: header, main, footer. */
export function Shell() {
  const { status } = useSession();
  const main = useFocusOnNewPage();
  return (
    <DocumentName value={formatSystemName(status)}>
      <div className="flex min-h-dvh flex-col">
        <SkipLink />
        <Header />
        {status.read_only === true && <ReadOnlyBar />}
        <Notice />
        <main
          ref={main}
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1440px] grow px-4 py-6 outline-none md:px-6"
        >
          <Outlet />
        </main>
        <Footer />
      </div>
      <TooltipBubble />
    </DocumentName>
  );
}

/** Moves the focus to a new page, as loading a document would. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isNew = before.current !== undefined && before.current !== path;
    before.current = path;
    if (!isNew) return;
    // With the next frame, which lays the page out anyway: the focus at once would have it laid out
    // twice.
    const frame = requestAnimationFrame(() => {
      if (!main.current?.contains(document.activeElement))
        main.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [path]);
  return main;
}
