import { useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { writeAddress } from "./page-table.ts";
import { useCurrentPage } from "./use-current-page.ts";

/** `Breadcrumbs` lead from a page to those above it. A page of the header has none. */
export function Breadcrumbs() {
  const { t } = useLingui();
  const { page, title: current, ancestors } = useCurrentPage();
  // The tabs of Settings say where one is.
  if (current === undefined || ancestors.length === 0 || page?.path === "/settings/") return null;
  return (
    <nav aria-label={t`Breadcrumbs`} className="-mt-2 mb-1 text-sm print:hidden">
      <ol className="flex flex-wrap gap-x-1.5 text-muted">
        {ancestors.map(({ path, title }) => (
          <li key={path} className="flex items-center gap-x-1.5">
            <Link
              to={writeAddress(path)}
              activeOptions={{ exact: true }}
              className="inline-flex min-h-6 items-center hover:text-ink"
            >
              {t(title)}
            </Link>
            <span aria-hidden="true">/</span>
          </li>
        ))}
        <li aria-current="page" className="inline-flex min-h-6 items-center">
          {t(current)}
        </li>
      </ol>
    </nav>
  );
}
