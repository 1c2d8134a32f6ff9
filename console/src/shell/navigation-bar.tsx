import { useLingui } from "@lingui/react/macro";
import { Link, type LinkProps, useRouter } from "@tanstack/react-router";
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { memo, useMemo } from "react";
import { askWhilePressed } from "../ask-while-pressed.ts";
import { Menu, MenuLink } from "../ui/menu/menu.tsx";
import { findIconStyle, hasLongWords } from "./long-words.ts";
import type { NavigationEntry } from "./navigation.ts";
import { listChildren, type PageRow, writeAddress } from "./page-table.ts";
import { loadPageCode, usePreloadedPages } from "./preload-pages.ts";
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
  const { t } = useLingui();
  const entries = useNavigation();
  const pages = usePages();
  const { ancestors } = useCurrentPage();
  usePreloadedPages(useMemo(() => entries.map(({ path }) => path), [entries]));
  if (entries.length === 0) return null;
  return (
    <nav
      aria-label={t`Main`}
      className="hidden shrink-0 grow items-center lg:flex min-[1440px]:gap-0.5"
    >
      {entries.map((entry, index) => (
        <Entry
          key={entry.path}
          entry={entry}
          pages={pages}
          isFirst={index === 0}
          beginsHalf={index > 0 && entries[index - 1]?.half !== entry.half}
          isAbove={ancestors.some((page) => page.path === entry.path)}
        />
      ))}
    </nav>
  );
}

type EntryProps = {
  entry: NavigationEntry;
  pages: readonly PageRow[];
  isFirst: boolean;
  beginsHalf: boolean;
  /** The page shown belongs to this entry. */
  isAbove: boolean;
};

/** `Entry` is drawn again only when it changes itself: each change of page comes here. */
const Entry = memo(function Entry({ entry, pages, isFirst, beginsHalf, isAbove }: EntryProps) {
  const { t, i18n } = useLingui();
  const isLong = hasLongWords(i18n.locale);
  const router = useRouter();
  const { path, title, icon: Icon } = entry;
  return (
    <>
      {/* What room is left stands between the entries, up to a limit. */}
      {!isFirst && <span className="max-w-3 grow" />}
      {beginsHalf && (
        <>
          <span aria-hidden="true" className="mx-1 h-6 w-px shrink-0 bg-edge" />
          <span className="max-w-3 grow" />
        </>
      )}
      <Link
        to={path}
        onPointerDown={({ button }) => {
          if (button !== 0) return;
          askWhilePressed(path);
          loadPageCode(router, path);
        }}
        title={isLong ? t(title) : undefined}
        activeOptions={{ exact: true, includeSearch: false }}
        className={clsx(linkStyle, isLong && "max-xl:px-2.5")}
        activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
        inactiveProps={{ className: isAbove ? aboveStyle : "text-muted hover:text-ink" }}
      >
        <Icon aria-hidden="true" className={clsx("size-4 shrink-0", findIconStyle(i18n.locale))} />
        <span className={clsx(isLong && "max-xl:sr-only")}>{t(title)}</span>
      </Link>
      <SecondLevel entry={entry} pages={pages} needsRoom={isLong} />
    </>
  );
});

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
  entry: NavigationEntry;
  pages: readonly PageRow[];
  needsRoom: boolean;
}) {
  const { t } = useLingui();
  const children = listChildren(pages, entry);
  if (children.length === 0) return null;
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
