import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Fragment } from "react";
import { askWhilePressed } from "../ask-while-pressed.ts";
import { hasLongWords, needsRoomForWords } from "./long-words.ts";
import { usePreloadedPages } from "./preload-pages.ts";
import { useNavigation } from "./use-navigation.ts";

const linkStyle =
  "flex h-12 flex-col items-center justify-center gap-0.5 whitespace-nowrap rounded-md px-0.5 text-xs no-underline transition-colors duration-150 hover:bg-hover xl:h-9 xl:flex-row xl:gap-1 xl:px-[3px] min-[1440px]:px-1 min-[1440px]:text-sm min-[1600px]:gap-1.5 min-[1600px]:px-2";

/**
 * Words beside the icons from 1,280 px up, and below them from 1,024 px. Where the words of the language are long, icons
 * stand alone below 1,280 px, with the word on hover; where they are wide, words stand alone up to 1,800 px.
 */
export function NavigationBar() {
  const { t, i18n } = useLingui();
  const isLong = hasLongWords(i18n.locale);
  const isWide = needsRoomForWords(i18n.locale);
  const entries = useNavigation();
  usePreloadedPages(entries.map(({ path }) => path));
  if (entries.length === 0) return null;
  return (
    <nav aria-label={t`Main`} className="hidden shrink-0 items-center lg:flex min-[1440px]:gap-0.5">
      {entries.map(({ path, label, icon: Icon, half, matchesSubpages }, index) => (
        <Fragment key={path}>
          {index > 0 && entries[index - 1]?.half !== half && (
            <span aria-hidden="true" className="mx-1 h-6 w-px shrink-0 bg-edge min-[1600px]:mx-3" />
          )}
          <Link
            to={path}
            onPointerDown={({ button }) => button === 0 && askWhilePressed(path)}
            title={isLong ? t(label) : undefined}
            activeOptions={{ exact: matchesSubpages !== true, includeSearch: false }}
            className={clsx(linkStyle, isLong && "max-xl:px-2.5")}
            activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
            inactiveProps={{ className: "text-muted hover:text-ink" }}
          >
            <Icon aria-hidden="true" className={clsx("size-4 shrink-0", isWide && "xl:max-[1799px]:hidden")} />
            <span className={clsx(isLong && "max-xl:sr-only")}>{t(label)}</span>
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}
