import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { systemName, useSession } from "../session.ts";
import { DocumentName } from "../ui/page.tsx";
import { TooltipBubble } from "../ui/tooltip.tsx";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { Notice } from "./notice.tsx";
import { SkipLink } from "./skip-link.tsx";

/** Header, main, footer: the frame around every page. */
export function Shell() {
  const { status } = useSession();
  const main = useFocusOnNewPage();
  return (
    <DocumentName value={systemName(status)}>
      <div className="flex min-h-dvh flex-col">
        <SkipLink />
        <Header />
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

/** A new page starts at its top for the keyboard and for screen readers, as a fresh document would. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isNew = before.current !== undefined && before.current !== path;
    before.current = path;
    if (isNew && !main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
