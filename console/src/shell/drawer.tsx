import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { LogOut, X } from "lucide-react";
import { Fragment, useEffect, useId, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { useBackdropClick, useModal } from "../ui/menu/dialog.tsx";
import { useBreakpoint } from "../ui/use-breakpoint.ts";
import { useLogout } from "./logout.ts";
import { listChildren, writeAddress } from "./page-table.ts";
import { useNavigation, usePages } from "./use-navigation.ts";

/** Open while it is drawn. */
export function Drawer({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { t } = useLingui();
  const entries = useNavigation();
  const pages = usePages();
  const logout = useLogout();
  const breakpoint = useBreakpoint();
  const fits = breakpoint === "desktop" || breakpoint === "large";
  useModal(ref, true);
  const backdrop = useBackdropClick(onClose);
  // The navigation bar is visible now: an open drawer would trap the focus.
  useEffect(() => {
    if (fits) onClose();
  }, [fits, onClose]);
  return (
    <dialog
      ref={ref}
      id="navigation-drawer"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      {...backdrop}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] bg-raised p-0 shadow-float backdrop:bg-scrim open:animate-[slide-in_180ms_ease-out]"
    >
      <div className="flex h-full flex-col">
        <div className="flex h-16 shrink-0 items-center justify-between border-line border-b pr-2 pl-4">
          <h2 id={titleId} className="font-semibold text-lg">
            <Trans>Navigation</Trans>
          </h2>
          <IconButton
            label={t`Close navigation menu`}
            icon={<X />}
            onClick={onClose}
            tooltip={false}
          />
        </div>
        <nav aria-labelledby={titleId} className="min-h-0 grow overflow-y-auto p-2">
          {entries.map(({ path, title, icon: Icon, half }, index) => (
            <Fragment key={path}>
              {index > 0 && entries[index - 1]?.half !== half && (
                <hr className="mx-2 my-2 border-line" />
              )}
              <Link
                to={path}
                onClick={onClose}
                activeOptions={{ exact: true, includeSearch: false }}
                className="flex h-10 items-center gap-3 rounded-md px-3 no-underline hover:bg-hover"
                activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
                inactiveProps={{ className: "text-ink" }}
              >
                <Icon aria-hidden="true" className="size-4 shrink-0" />
                {t(title)}
              </Link>
              {listChildren(pages, { path }).map((page) => (
                <Link
                  key={page.path}
                  to={writeAddress(page.path)}
                  onClick={onClose}
                  activeOptions={{ exact: true, includeSearch: false }}
                  className="flex min-h-9 items-center rounded-md py-1 pr-3 pl-10 text-sm no-underline hover:bg-hover"
                  activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
                  inactiveProps={{ className: "text-muted" }}
                >
                  {t(page.title)}
                </Link>
              ))}
            </Fragment>
          ))}
        </nav>
        <div className="shrink-0 border-line border-t p-3">
          <Button
            onClick={() => {
              onClose();
              void logout();
            }}
            icon={<LogOut />}
            className="w-full"
          >
            <Trans>Logout</Trans>
          </Button>
        </div>
      </div>
    </dialog>
  );
}
