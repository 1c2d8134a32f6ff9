import { Trans } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { exportAuditEntries } from "@tollgate/contract/site/audit-trail.ts";
import { Download } from "lucide-react";
import { ChangeTable } from "../../components/changes/change-table.tsx";
import { isRoot, useSession } from "../../session.ts";
import { basePath } from "../../site-path.ts";
import { buttonStyle } from "../../ui/button.tsx";
import { ChangeFilters, useChangeFilters } from "./change-filters.tsx";
import { OptionsNotAllowed } from "./option-tab.tsx";

/** Shows an explanation instead of making a call that the role forbids. */
export function ChangesTab() {
  const { user } = useSession();
  return isRoot(user) ? <AuditEntryList /> : <OptionsNotAllowed />;
}

function AuditEntryList() {
  const { query } = useChangeFilters();
  const navigate = useNavigate();
  const narrowTo = (search: object) => void navigate({ to: ".", search: search as never });
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p className="text-muted">
        <Trans>
          What was changed, when and by whom. Entries cannot be changed or deleted; the command{" "}
          <code className="whitespace-nowrap font-mono text-sm">audit --trail</code> proves it.
        </Trans>
      </p>
      <ChangeTable
        query={query}
        onFilter={(target) => narrowTo({ target })}
        onClearFilters={() => narrowTo({})}
        toolbar={
          <>
            <ChangeFilters onClear={() => narrowTo({})} />
            <a
              href={basePath + exportAuditEntries.path}
              download
              className={buttonStyle({ variant: "secondary", size: "sm" })}
            >
              <Download />
              <Trans>Export all</Trans>
            </a>
          </>
        }
      />
    </div>
  );
}
