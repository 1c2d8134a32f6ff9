import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { lazy, Suspense } from "react";
import { formatSystemName, getSession, useSession } from "../session.ts";
import { LanguageMenu } from "./language-menu.tsx";
import { Logo } from "./logo.tsx";
import { SiteLogo } from "./site-logo.tsx";
import { ThemeMenu } from "./theme-menu.tsx";
import { VisitorLinks } from "./visitor-links.tsx";

// Lazy, because the sign-in page does not need them. For a signed-in user the import starts with
// the first code.
const loadSignedIn = () => import("./signed-in-bar.tsx");
if (getSession().user !== null) void loadSignedIn();
const SkipToResults = lazy(async () => ({ default: (await loadSignedIn()).SkipToResults }));
const MenuButton = lazy(async () => ({ default: (await loadSignedIn()).MenuButton }));
const NavigationBar = lazy(async () => ({ default: (await loadSignedIn()).NavigationBar }));
const PaletteButton = lazy(async () => ({ default: (await loadSignedIn()).PaletteButton }));
const AlertBell = lazy(async () => ({ default: (await loadSignedIn()).AlertBell }));
const AccountMenu = lazy(async () => ({ default: (await loadSignedIn()).AccountMenu }));

export function Header() {
  const { user } = useSession();
  return (
    <>
      {user !== null && (
        <Suspense>
          <SkipToResults />
        </Suspense>
      )}
      <header className="print:hidden sticky top-0 z-30 h-16 border-line border-b bg-card">
        <div className="flex h-full items-center gap-1 px-3 sm:gap-2 sm:px-4 md:px-6">
          {user !== null && (
            <div className="-ml-2 size-9 shrink-0 empty:hidden lg:hidden">
              <Suspense>
                <MenuButton />
              </Suspense>
            </div>
          )}
          <Brand />
          {user !== null && (
            <Suspense>
              <NavigationBar />
            </Suspense>
          )}
          {/* Before the sign-in, the name of the system gives way; after it, the user name does too. */}
          <div
            className={clsx(
              "ml-auto flex items-center gap-0.5 sm:gap-1",
              user === null ? "shrink-0" : "min-w-0",
            )}
          >
            {user !== null && (
              <Suspense>
                <PaletteButton />
              </Suspense>
            )}
            {user !== null && (
              <Suspense>
                <AlertBell />
              </Suspense>
            )}
            <ThemeMenu />
            <LanguageMenu />
            {user === null ? (
              <VisitorLinks />
            ) : (
              <Suspense>
                <AccountMenu user={user} />
              </Suspense>
            )}
          </div>
        </div>
      </header>
    </>
  );
}

/** The operator's logo and name, or the defaults. */
function Brand() {
  const { status } = useSession();
  return (
    <Link to="/" className="mr-1 flex min-w-16 items-center gap-2 rounded-md no-underline">
      <SiteLogo
        className="size-6 shrink-0 rounded-sm object-contain"
        fallback={<Logo className="size-6 text-accent" />}
      />
      <span className="max-w-40 truncate font-semibold text-lg">{formatSystemName(status)}</span>{" "}
      <span className="sr-only">
        <Trans>Home</Trans>
      </span>
    </Link>
  );
}
