import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { Tooltip } from "../ui/tooltip.tsx";
import { useBreakpoint } from "../ui/use-breakpoint.ts";
import { usePreloadedPages } from "./preload-pages.ts";
import { useNavigation } from "./use-navigation.ts";

/** Labels from 1,280 px up; from 1,024 px only icons, with the labels in tooltips and for assistive technology. */
export function NavigationBar() {
  const { t } = useLingui();
  const entries = useNavigation();
  usePreloadedPages(entries.map(({ path }) => path));
  const wordless = useBreakpoint() !== "large";
  if (entries.length === 0) return null;
  return (
    <nav aria-label={t`Main`} className="hidden shrink-0 items-center gap-0.5 lg:flex">
      {entries.map(({ path, label, icon: Icon, group, matchesSubpages }, index) => {
        const word = t(label);
        const link = (
          <Link
            to={path}
            activeOptions={{ exact: matchesSubpages !== true, includeSearch: false }}
            className="flex h-9 items-center gap-1 whitespace-nowrap rounded-md px-2.5 text-sm no-underline transition-colors duration-150 hover:bg-hover xl:px-1 xl:max-[1439px]:text-xs min-[1440px]:px-1.5 min-[1536px]:gap-1.5 min-[1536px]:px-2"
            activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
            inactiveProps={{ className: "text-muted hover:text-ink" }}
          >
            <Icon aria-hidden="true" className="size-4 shrink-0" />
            <span className="sr-only xl:not-sr-only">{word}</span>
          </Link>
        );
        return (
          <Fragment key={path}>
            {index > 0 && entries[index - 1]?.group !== group && (
              <span aria-hidden="true" className="mx-1 h-5 w-px shrink-0 bg-line xl:max-[1439px]:mx-0.5" />
            )}
            {wordless ? <Tooltip text={word}>{link}</Tooltip> : link}
          </Fragment>
        );
      })}
    </nav>
  );
}
