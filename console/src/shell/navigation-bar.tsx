import { useLingui } from "@lingui/react/macro";
import { Link, type LinkProps } from "@tanstack/react-router";
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { Fragment } from "react";
import { askWhilePressed } from "../ask-while-pressed.ts";
import { Menu, MenuLink } from "../ui/menu/menu.tsx";
import { findIconStyle, hasLongWords } from "./long-words.ts";
import type { NavigationEntry } from "./navigation.ts";
import { listChildren, type PageRow, writeAddress } from "./page-table.ts";
import { usePreloadedPages } from "./preload-pages.ts";
import { useCurrentPage } from "./use-current-page.ts";
import { useNavigation, usePages } from "./use-navigation.ts";

const linkStyle =
  "flex h-12 flex-col items-center justify-center gap-0.5 whitespace-nowrap rounded-md px-1 text-xs no-underline transition-colors duration-150 hover:bg-hover xl:h-9 xl:flex-row xl:gap-1 min-[1440px]:text-sm min-[1600px]:gap-1.5 min-[1600px]:px-2";

/**
 * Words beside the icons from 1,280 px up, and below them from 1,024 px. Where the words of the
 * language are long, icons stand alone below 1,280 px, with the word on hover, and words alone from
 * there to where both fit.
 */
export function NavigationBar() {
  const { t, i18n } = useLingui();
  const isLong = hasLongWords(i18n.locale);
  const entries = useNavigation();
  const pages = usePages();
  const { ancestors } = useCurrentPage();
  usePreloadedPages(entries.map(({ path }) => path));
  if (entries.length === 0) return null;
  return (
    <nav
      aria-label={t`Main`}
      className="hidden shrink-0 grow items-center lg:flex min-[1440px]:gap-0.5"
    >
      {entries.map(({ path, title, icon: Icon, half }, index) => (
        <Fragment key={path}>
          {/* What room is left stands between the entries, up to a limit. */}
          {index > 0 && <span className="max-w-3 grow" />}
          {index > 0 && entries[index - 1]?.half !== half && (
            <>
              <span aria-hidden="true" className="mx-1 h-6 w-px shrink-0 bg-edge" />
              <span className="max-w-3 grow" />
            </>
          )}
          <Link
            to={path}
            onPointerDown={({ button }) => button === 0 && askWhilePressed(path)}
            title={isLong ? t(title) : undefined}
            activeOptions={{ exact: true, includeSearch: false }}
            className={clsx(linkStyle, isLong && "max-xl:px-2.5")}
            activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
            inactiveProps={{
              className: ancestors.some((page) => page.path === path)
                ? aboveStyle
                : "text-muted hover:text-ink",
            }}
          >
            <Icon
              aria-hidden="true"
              className={clsx("size-4 shrink-0", findIconStyle(i18n.locale))}
            />
            <span className={clsx(isLong && "max-xl:sr-only")}>{t(title)}</span>
          </Link>
          <SecondLevel entry={entries[index]} pages={pages} needsRoom={isLong} />
        </Fragment>
      ))}
    </nav>
  );
}

/**
 * `aboveStyle` marks the entry that the page shown belongs to, more weakly than that page's own
 * entry.
 */
const aboveStyle =
  "text-ink font-medium underline decoration-accent decoration-2 underline-offset-8";

/** The pages below an entry, by click and Enter; the entry itself stays a link. */
function SecondLevel({
  entry,
  pages,
  needsRoom,
}: {
  entry: NavigationEntry | undefined;
  pages: readonly PageRow[];
  needsRoom: boolean;
}) {
  const { t } = useLingui();
  const children = entry === undefined ? [] : listChildren(pages, entry);
  if (entry === undefined || children.length === 0) return null;
  const title = t(entry.title);
  return (
    <Menu
      label={title}
      align="start"
      trigger={
        <button
          type="button"
          className={clsx(
            "-ml-0.5 hidden h-8 w-5 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink",
            needsRoom ? "min-[1800px]:flex" : "min-[1680px]:flex",
          )}
        >
          <ChevronDown aria-hidden="true" className="size-3.5" />
          <span className="sr-only">{t`Pages of ${title}`}</span>
        </button>
      }
    >
      {children.map((page) => (
        <MenuLink key={page.path} to={writeAddress(page.path) as LinkProps["to"]}>
          {t(page.title)}
        </MenuLink>
      ))}
    </Menu>
  );
}
